"""Trust-region policy optimisation with a curriculum."""
