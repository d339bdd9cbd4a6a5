"""vinlab: Value Iteration Networks."""
