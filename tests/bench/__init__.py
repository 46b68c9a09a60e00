"""Benchmarks: `make bench`. Never collected by pytest, and nothing here fails a build."""
