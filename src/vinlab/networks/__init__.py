"""Whole policies: the rows of the paper's tables."""

from vinlab.networks.base import Policy
from vinlab.networks.vin import ValueIterationNetwork

__all__ = ["Policy", "ValueIterationNetwork"]
