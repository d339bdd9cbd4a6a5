"""Web navigation: Section 4.4 of the paper, and planning on the pages themselves."""

from collections.abc import Sequence
from dataclasses import replace

from vinlab.domains.web.site import Control, GraphKind
from vinlab.domains.web.synthetic import EncyclopediaConfig
from vinlab.experiments.base import Budget, Experiment, Recipe, Setting
from vinlab.experiments.web.data import WebData
from vinlab.experiments.web.table import web_table
from vinlab.experiments.web.train import FirstLesson, WebTraining, one_cycle, train
from vinlab.learners.imitation import ImitationConfig
from vinlab.networks.links.configs import (
    IndexVinConfig,
    MemberVinConfig,
    PageVinConfig,
    ReactiveConfig,
    WebNetworkConfig,
)
from vinlab.recording.finished_run import FinishedRun

VIN = IndexVinConfig(iterations=4)
MEMBERS = MemberVinConfig(iterations=5)
PAGES = PageVinConfig(iterations=7)

NETWORKS: dict[str, tuple[WebNetworkConfig, str]] = {
    "baseline": (ReactiveConfig(), "reactive policy without a plan"),
    "vin": (VIN, "the paper's VIN: plans on 119 index pages, similarity attention, K = 3"),
    "vin-k0": (replace(VIN, iterations=1), "the paper's VIN without backups"),
    "vin-staged": (VIN, "the paper's VIN, trained without backups first, then with its reward held"),
    "members": (MEMBERS, "VIN on index pages, attention by category membership, K = 4"),
    "members-k0": (replace(MEMBERS, iterations=1), "the same without backups"),
    "pages": (PAGES, "VIN that plans on all pages over all links, K = 6"),
    "pages-k0": (replace(PAGES, iterations=1), "the same without backups"),
}
"""The rows of the table; K counts the backups after the reward, as the paper does."""

EPOCHS = {"pages": 1, "pages-k0": 1}
MOST_EPOCHS = 4
CONTROLS: dict[Control, tuple[str, ...]] = {
    "leaky": ("baseline", "members", "pages"),
    "random-vectors": ("baseline", "members", "pages"),
}


def learning_of(network: str, budget: Budget) -> ImitationConfig:
    """One rise and fall of Adam's rate."""
    epochs = EPOCHS.get(network, MOST_EPOCHS) if budget == "paper" else {"smoke": 1, "small": 2}[budget]
    return one_cycle(epochs, 1e-3 if network.startswith("pages") else 3e-3)


def configure(
    network: str, graph: GraphKind, control: Control, budget: Budget, recipe: Recipe
) -> WebTraining:
    """The configuration of a setting: ``paper`` learns from paths that begin at the root, ``default`` from all."""
    data = WebData(graph, starts="root" if recipe == "paper" else "root and anywhere", control=control)
    if budget != "paper":
        data = replace(data, training_queries={"smoke": 200, "small": 4000}[budget])
    if budget == "smoke":
        small = EncyclopediaConfig(branches=(4, 3), articles=150, sentences=24)
        data = replace(data, validation_problems=20, root_problems=30, random_problems=40, encyclopedia=small)
    learning = learning_of(network, budget)
    return WebTraining(NETWORKS[network][0], data, learning, first_lesson(network, learning))


def first_lesson(network: str, learning: ImitationConfig) -> FirstLesson | None:
    """What the network learns by itself before, if anything."""
    if network == "vin-staged":
        return FirstLesson("reward", learning)
    return FirstLesson("plan", one_cycle(1, 3e-3)) if network.startswith("members") else None


def _setting(network: str, graph: GraphKind, control: Control = "none") -> Setting:
    links = "all links" if graph == "full" else "category links only"
    extra = "" if control == "none" else f", control: {control}"
    return Setting(
        id=f"web/{graph}/{network}" + ("" if control == "none" else f"-{control}"),
        about=f"{NETWORKS[network][1]}; {links}{extra}",
        configure=lambda budget, recipe: configure(network, graph, control, budget, recipe),
    )


GRAPHS: tuple[GraphKind, ...] = ("full", "tree")

SETTINGS = [_setting(network, graph) for graph in GRAPHS for network in NETWORKS] + [
    _setting(network, graph, control)
    for control, networks in CONTROLS.items()
    for graph in GRAPHS
    for network in networks
]


def table(runs: Sequence[FinishedRun]) -> str:
    """Ours beside the paper's two numbers."""
    return web_table(runs, {setting.id: setting.about for setting in SETTINGS})


WEB = Experiment(
    name="web",
    paper="Section 4.4",
    settings={setting.id: setting for setting in SETTINGS},
    learn=train,
    table=table,
)
