"""Pictures of ground whose costs are hidden: only demonstrated paths tell how costly it is to cross."""
