"""Navigation over the links of an encyclopedia to the page that a few sentences describe."""
