"""HTTP over the engine: the invoke API and the AG-UI endpoint, served alone or beside the app."""
