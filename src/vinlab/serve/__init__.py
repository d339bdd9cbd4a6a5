"""A local page on which one watches a VIN plan; needs the extra ``serve``."""
