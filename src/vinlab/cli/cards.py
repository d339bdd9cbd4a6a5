"""The cards of the shipped models in words: what a model is for, where it fails, its scores and its training."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from vinlab.cli.output import MEASURES, Measure
from vinlab.experiments.catalogue import read_catalogue
from vinlab.experiments.results import count_parameters
from vinlab.models import SHIPPED, Model, load, read_card, stem_of

SHOWN = (
    "success_rate",
    "cost_ratio_mean",
    "trajectory_difference",
    "test_distance",
    "test_failed",
    "percent_optimal",
    "percent_success",
)
"""The measures that a card names, in this order."""

LESS_IS_BETTER = {"cost_ratio_mean", "trajectory_difference", "test_distance", "test_failed"}


def card_text(id: str) -> str:
    """The card of a shipped model, as Markdown that also reads well in a terminal."""
    card, entry, model = read_card(id), read_catalogue()[id], load(id)
    size = (SHIPPED / f"{stem_of(id)}.safetensors").stat().st_size
    limits = str(card["limits"]).rstrip(".")
    lines = [
        f"- **Is:** {_capital(entry.about)} ({entry.experiment}: {entry.paper}).",
        f"- **Limits:** {_capital(limits)}.",
        *(f"- **Unseen problems:** {line}." for line in _scores(card["scores"])),
        f"- **Plans:** {_depth(model)}",
        f"- **Trained:** `{card['command']}`, {card['training_seconds'] / 60:.1f} minutes, {card['date'][:10]}, commit "
        f"{card['commit'][:7]}.",
        f"- **Weights:** {count_parameters(model.network):,} ({size / 1000:.0f} kB), licence {card['licence']}.",
    ]
    return "\n".join([f"## {id}", "", *lines])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _scores(scores: Mapping[str, Any]) -> Iterator[str]:
    """The scores of one set of problems, or the worst of several sets with the set's name."""
    groups = {"": scores} if "num_problems" in scores else scores
    problems = sum(group["num_problems"] for group in groups.values())
    found = [_worst(name, MEASURES[name], groups) for name in SHOWN if _has(name, groups)]
    sets = f" in {len(groups)} sets, the worst of which is named where they differ" if len(groups) > 1 else ""
    yield f"{problems:,}{sets}: {'; '.join(found)}"


def _has(name: str, groups: Mapping[str, Mapping[str, Any]]) -> bool:
    numbers = [group.get(name) for group in groups.values()]
    return any(number is not None and not math.isnan(number) for number in numbers)


def _worst(name: str, measure: Measure, groups: Mapping[str, Mapping[str, Any]]) -> str:
    known = {group: scores[name] for group, scores in groups.items() if scores.get(name) is not None}
    worst = (max if name in LESS_IS_BETTER else min)(known, key=known.__getitem__)
    shown = {group: measure.form.format(number) for group, number in known.items()}
    where = f" ({worst})" if len(set(shown.values())) > 1 else ""
    return f"{measure.heading} {shown[worst]}{where}"


def _depth(model: Model) -> str:
    iterations = getattr(model.network, "iterations", None)
    if iterations is None:
        return "until the value settles."
    return f"by K = {iterations} backups on the maps of its training, of side {model.size}."
