"""The networks of web navigation and how they are trained: Section 4.4."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from vinlab.domains.web.site import Control, GraphKind
from vinlab.domains.web.synthetic import EncyclopediaConfig
from vinlab.experiments.base import Budget, Recipe, Setting, by_id
from vinlab.experiments.web.data import Features, WebData
from vinlab.learners.imitation import ImitationConfig, one_cycle
from vinlab.networks.links.configs import (
    IndexVinConfig,
    LinkConfig,
    MemberVinConfig,
    PageVinConfig,
    ReactiveConfig,
)


@dataclass(frozen=True)
class FirstStage:
    """A part of the network that is trained alone before the whole network."""

    part: Literal["reward", "plan"]
    """``reward``: trained without backups and then frozen (the paper on the full Wikipedia). ``plan``: trained without
    the reactive scores, which do so well from the root that they leave the planner no gradient."""
    learning: ImitationConfig


@dataclass(frozen=True)
class WebTraining:
    """The configuration of a run."""

    network: LinkConfig
    data: WebData
    learning: ImitationConfig
    first: FirstStage | None = None


VIN = IndexVinConfig(iterations=4)
MEMBERS = MemberVinConfig(iterations=5)
PAGES = PageVinConfig(iterations=7)

NETWORKS: dict[str, tuple[LinkConfig, str]] = {
    "baseline": (ReactiveConfig(), "reactive policy without a plan"),
    "vin": (VIN, "the paper's VIN: plans on 119 index pages, similarity attention, K = 3"),
    "vin-k0": (replace(VIN, iterations=1), "the paper's VIN without backups"),
    "vin-staged": (VIN, "the paper's VIN, trained without backups first, then with its reward frozen"),
    "members": (MEMBERS, "VIN on index pages, attention by category membership, K = 4"),
    "members-k0": (replace(MEMBERS, iterations=1), "the same without backups"),
    "pages": (PAGES, "VIN that plans on all pages over all links, K = 6"),
    "pages-k0": (replace(PAGES, iterations=1), "the same without backups"),
}
"""The rows of the table; K counts the backups after the reward, as the paper does."""

EPOCHS = {"pages": 1, "pages-k0": 1}
DEFAULT_EPOCHS = 4
CONTROLS: dict[Control, tuple[str, ...]] = {
    "none": tuple(NETWORKS),
    "leaky": ("baseline", "vin", "members", "pages"),
    "random-vectors": ("baseline", "members", "pages"),
}
SPARSE = ("baseline", "vin", "members", "pages", "pages-k0")
"""The networks with a setting that reads sparse features too."""
FAR_PAGES = PageVinConfig(iterations=10, discount=0.9, sparse=True)
"""Chosen on validation queries: with the discount ½ a near page that resembles the query outweighs the far target."""
BATCH = 128
GRAPHS: tuple[GraphKind, ...] = ("full", "tree")


def configure(
    network: str,
    graph: GraphKind,
    control: Control,
    budget: Budget,
    recipe: Recipe,
    *,
    features: Features = "dense",
) -> WebTraining:
    """The recipe ``paper`` trains on paths from the root, ``default`` on as many from random articles too."""
    starts = "root" if recipe == "paper" else "root and anywhere"
    sparse = features == "sparse"
    data = WebData(graph, starts, control=control, features=features, hides_test_pages=sparse)
    if budget != "paper":
        data = replace(data, training_queries={"smoke": 200, "small": 4000}[budget])
    if budget == "smoke":
        small = EncyclopediaConfig(branches=(4, 3), articles=150, sentences=24)
        data = replace(data, validation_problems=20, root_problems=30, random_problems=40, encyclopedia=small)
    epochs = EPOCHS.get(network, DEFAULT_EPOCHS) if budget == "paper" else {"smoke": 1, "small": 2}[budget]
    on_pages = 3e-2 if sparse else 1e-3  # with sparse features a plan on pages has a handful of weights
    learning = one_cycle(epochs, on_pages if network.startswith("pages") else 3e-3, batch=BATCH)
    first = FirstStage("reward", learning) if network == "vin-staged" else None
    if network.startswith("members"):
        first = FirstStage("plan", one_cycle(1, 3e-3, batch=BATCH))
    settings = replace(NETWORKS[network][0], sparse=sparse)
    if sparse and network == "pages":
        settings = FAR_PAGES
    return WebTraining(settings, data, learning, first)


def _setting(graph: GraphKind, network: str, control: Control) -> Setting[WebTraining]:
    links = "all links" if graph == "full" else "category links only"
    suffix, words = ("", "") if control == "none" else (f"-{control}", f", control: {control}")
    return Setting(
        f"web/{graph}/{network}{suffix}",
        f"{NETWORKS[network][1]}; {links}{words}",
        partial(configure, network, graph, control),
        control=control != "none" or network.endswith("-k0"),
    )


def _sparse_setting(graph: GraphKind, network: str) -> Setting[WebTraining]:
    dense = _setting(graph, network, "none")
    configured = partial(configure, network, graph, "none", features="sparse")
    about = dense.about.replace("K = 6", "K = 9") if network == "pages" else dense.about
    return replace(dense, id=f"{dense.id}-sparse", about=f"{about}, sparse features", configure=configured)


NAVIGATION = by_id(
    [
        *(
            _setting(graph, network, control)
            for control, networks in CONTROLS.items()
            for graph in GRAPHS
            for network in networks
        ),
        *(_sparse_setting(graph, network) for graph in GRAPHS for network in SPARSE),
    ]
)
"""The search for the page that a query describes."""
