"""Letting a policy act, and measuring how well it did."""
