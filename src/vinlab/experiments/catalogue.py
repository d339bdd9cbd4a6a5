"""The list of all settings, as a file, so that it is read without importing any experiment.

``make catalogue`` writes the file anew; a test holds it to the experiments.
"""

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path

NAMES = (
    "gridworld",
    "weight_sharing",
    "hierarchical",
    "any_map",
    "graded",
    "generalisation",
    "ablations",
    "rl",
    "mars",
    "terrain_costs",
    "control",
    "web",
    "arena",
)
"""The experiments, each a package of this name."""

ALIASES = {"any-map": "any_map", "guide": "ablations"}
"""Names of version 0.1."""

FILE = "catalogue.json"


@dataclass(frozen=True)
class CatalogueEntry:
    """One setting, as ``vinlab list`` shows it."""

    experiment: str
    paper: str
    about: str
    control: bool


@cache
def read_catalogue() -> dict[str, CatalogueEntry]:
    """All settings by id, in the order of the experiments."""
    text = resources.files("vinlab.experiments").joinpath(FILE).read_text(encoding="utf-8")
    return {id: CatalogueEntry(**entry) for id, entry in json.loads(text).items()}


def make_catalogue() -> dict[str, CatalogueEntry]:
    """The same from the experiments themselves; a setting that several show belongs to the first."""
    from vinlab.experiments import NAMES, experiment_named

    entries: dict[str, CatalogueEntry] = {}
    for experiment in map(experiment_named, NAMES):
        for setting in experiment.settings.values():
            entry = CatalogueEntry(experiment.name, experiment.paper, setting.about, setting.control)
            entries.setdefault(setting.id, entry)
    return entries


if __name__ == "__main__":  # write the file anew
    plain = {id: asdict(entry) for id, entry in make_catalogue().items()}
    text = json.dumps(plain, indent=2, ensure_ascii=False) + "\n"
    (Path(__file__).parent / FILE).write_text(text, encoding="utf-8")
