"""The two networks of the paper's second table, on generated sites of 500 thousand and 4.8 million pages."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from vinlab.domains.web.large_site import LargeSiteConfig
from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.experiments.web.scale.data import ScaleData
from vinlab.experiments.web.settings import BATCH, FirstStage
from vinlab.learners.imitation import ImitationConfig, one_cycle
from vinlab.networks.links.configs import LinkConfig, ReactiveConfig, SoftmaxVinConfig

SIZES = {"500k": 500_000, "4800k": 4_800_000}
"""The paper's has 4.8 million pages."""
RATE = 3e-3

NETWORKS: dict[str, tuple[LinkConfig, str]] = {
    "baseline": (ReactiveConfig(), "reactive policy without a plan"),
    "vin": (
        SoftmaxVinConfig(iterations=5),
        "plans on another, smaller site, K = 4; K = 0 first, then reward frozen",
    ),
    "vin-k0": (SoftmaxVinConfig(iterations=1), "the same without backups"),
}


@dataclass(frozen=True)
class ScaleTraining:
    """The configuration of a run."""

    network: LinkConfig
    data: ScaleData
    learning: ImitationConfig
    first: FirstStage | None = None


def configure(network: str, size: Literal["500k", "4800k"], budget: Budget, recipe: Recipe) -> ScaleTraining:
    """Both recipes are the paper's: its training at K = 0 first, then at K with the reward frozen."""
    data = ScaleData(LargeSiteConfig(SIZES[size]), 15_000, 500, 2000)
    if budget == "small":
        data = replace(data, training_queries=2000, test_problems=500)
    if budget == "smoke":
        small = LargeSiteConfig(2000, dimension=20, queries=400, planning_pages=200)
        data = ScaleData(small, training_queries=128, validation_problems=20, test_problems=30)
    epochs = 1 if budget == "smoke" else 2
    first = FirstStage("reward", one_cycle(1, RATE, batch=BATCH)) if network == "vin" else None
    # The others see as many queries as both stages of the VIN together.
    learning = one_cycle(epochs if first else epochs + 1, RATE, batch=BATCH)
    return ScaleTraining(NETWORKS[network][0], data, learning, first)


SETTINGS = by_id(
    Setting(
        f"web/{size}/{network}",
        f"generated site of {pages:,} pages; {about}",
        partial(configure, network, size),  # pyright: ignore[reportArgumentType]
        recipes=("paper",),
        control=network == "vin-k0",
    )
    for size, pages in SIZES.items()
    for network, (_, about) in NETWORKS.items()
)
