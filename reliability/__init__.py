"""Trials of what users rely on: hostile files and options (``fuzz``), and runs that are killed and damaged (``soak_runs``)."""
