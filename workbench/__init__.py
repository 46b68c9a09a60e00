"""A workbench for human-in-the-loop agents."""
