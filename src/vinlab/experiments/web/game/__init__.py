"""The player's game of Wikispeedia: start and target are known, the links are seen page by page."""
