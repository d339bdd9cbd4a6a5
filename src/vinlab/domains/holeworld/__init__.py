"""The hole world: the grid-world of the paper's reinforcement learning, whose obstacles are holes."""
