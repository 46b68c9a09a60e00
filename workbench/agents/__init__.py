"""Config -> live strands objects: models, tools, client tools, the gate."""
