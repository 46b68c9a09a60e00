"""Drive runs: strands' stream into AG-UI events, pause, resume, recover; and the engine that every face uses."""
