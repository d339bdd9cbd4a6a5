"""Sites of the size of the full Wikipedia that plan on a smaller site's graph: the paper's second table."""
