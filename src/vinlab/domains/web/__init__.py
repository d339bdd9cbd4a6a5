"""The links of an encyclopedia: find the page that a few sentences describe."""
