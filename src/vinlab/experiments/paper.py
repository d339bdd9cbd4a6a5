"""The numbers that the paper prints."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def _all_numbers() -> dict[str, Any]:
    text = resources.files("vinlab.experiments").joinpath("paper.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def paper_numbers(experiment: str) -> dict[str, dict[str, float]]:
    """What the paper prints for an experiment, by id and measure."""
    return _all_numbers().get(experiment, {})


def numbers_of(id: str) -> dict[str, float]:
    """What the paper prints for a setting, by measure; nothing where it has no such setting."""
    return next((numbers[id] for numbers in _all_numbers().values() if id in numbers), {})
