"""One package per table or figure of the paper; each is imported when it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING

from vinlab.experiments.catalogue import ALIASES, NAMES, read_catalogue
from vinlab.models.names import suggestion
from vinlab.types import InputError

if TYPE_CHECKING:
    from vinlab.experiments.base import Experiment


def experiment_named(name: str) -> "Experiment":
    """The experiment of this name."""
    name = ALIASES.get(name, name)
    if name not in NAMES:
        raise InputError(f"There is no experiment '{name}'{suggestion(name, NAMES)}")
    return import_module(f"vinlab.experiments.{name}").EXPERIMENT


def experiment_of(id: str) -> "Experiment":
    """The experiment that a setting belongs to; the first one where several show it."""
    entries = read_catalogue()
    if id not in entries:
        raise InputError(f"There is no setting '{id}'{suggestion(id, entries)}")
    return experiment_named(entries[id].experiment)
