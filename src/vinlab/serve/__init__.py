"""A local page on which a VIN plans on maps that people draw; needs the extra ``serve``."""
