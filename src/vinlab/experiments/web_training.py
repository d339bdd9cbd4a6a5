"""Training on a site by imitation: queries and shortest paths in, a recorded run out."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from vinlab.design.web import SiteView
from vinlab.domains.web.corpus import read_corpus
from vinlab.domains.web.expert import UNREACHABLE, Distances, distances_to, shortest_paths
from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.lessons import ClickLessons
from vinlab.domains.web.problem import (
    WebProblems,
    draw,
    join_problems,
    keep,
    queries_of,
    split_pages,
    start_anywhere,
    start_at_root,
)
from vinlab.domains.web.site import Control, GraphKind, Site, build_site
from vinlab.domains.web.store import is_site, open_site
from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia
from vinlab.experiments.experiment import TrainingRequest
from vinlab.experiments.gridworld_training import record_run
from vinlab.experiments.web_evaluation import Judged, evaluate_links, make_judged
from vinlab.experiments.web_views import view_for
from vinlab.learners import parallel
from vinlab.learners.contract import Progress, Record, Validation
from vinlab.learners.imitation import Best, ImitationConfig, imitate
from vinlab.learners.link_imitation import LinkLoss
from vinlab.learners.optimisers import Stage
from vinlab.networks.web import LinkPolicy, PlannedPolicy
from vinlab.networks.web_presets import WebNetworkConfig, web_network_to_plain
from vinlab.recording.hashing import data_hash
from vinlab.recording.manifest import describe_run
from vinlab.recording.recorded import RecordedRun
from vinlab.types import InputError

SITE_SEED, PROBLEM_SEED = 2016, 2017
"""Sites, splits and test problems are the same for every seed of training."""

WebSite = tuple[Site, TextEmbedding]


@dataclass(frozen=True)
class WebData:
    """Which problems to learn from, choose by and be judged on."""

    graph: GraphKind
    starts: Literal["root", "root and anywhere"]
    """Where the training paths begin: at the root (the paper), or as many again at random articles."""
    control: Control = "none"
    training_queries: int | None = None
    """How many of the training queries to use; None takes all."""
    validation_problems: int = 500
    """From the root, and as many again from random starts."""
    root_problems: int = 2000
    random_problems: int = 4000
    encyclopedia: EncyclopediaConfig = field(default_factory=EncyclopediaConfig)
    """The site when no folder of real data is given."""


@dataclass(frozen=True)
class WebTraining:
    """All that settles a run."""

    network: WebNetworkConfig
    data: WebData
    learning: ImitationConfig
    first: ImitationConfig | None = None
    """Learn like this without backups first, then keep the reward as it is (the paper on the full Wikipedia)."""

    def to_plain(self, source: str) -> dict[str, Any]:
        """The same as a manifest holds it, with the name of the site."""
        return {
            "network": web_network_to_plain(self.network),
            "data": {**asdict(self.data), "source": source},
            "learning": asdict(self.learning),
            "first": asdict(self.first) if self.first else None,
        }


def load_site(data: WebData, source: Path | None) -> WebSite:
    """The synthetic encyclopedia, or the site in a folder: a corpus in tables, or what ``write_site`` wrote."""
    if source is None:
        corpus = make_encyclopedia(data.encyclopedia, rng=np.random.default_rng(SITE_SEED))
    elif is_site(source):
        if data.control != "none":
            raise InputError(
                f"{source} holds finished features; the {data.control} control needs the corpus itself."
            )
        return open_site(source)
    else:
        corpus = read_corpus(source)
    return build_site(corpus, rng=np.random.default_rng(SITE_SEED), control=data.control)


@dataclass(frozen=True)
class WebSets:
    """The problems of one site and graph."""

    lessons: ClickLessons
    validation_root: Judged
    validation_random: Judged
    test_root: Judged
    test_random: Judged


def make_sets(site: Site, data: WebData, *, seed: int) -> WebSets:
    """All sets of problems; those for choosing and judging do not depend on the seed of training."""
    links = site.graph(data.graph)
    distances = distances_to(links, np.unique(site.queries.pages))
    rng = np.random.default_rng(PROBLEM_SEED)
    split = split_pages(site, rng=rng)

    def judged(part: Any, count: int, begin: Callable[..., WebProblems], **options: Any) -> Judged:
        queries = draw(queries_of(site, split, part), count, rng=rng)
        return make_judged(site, links, begin(site, queries, **options), distances)

    validation_root = judged("validation", data.validation_problems, start_at_root)
    validation_random = judged("validation", data.validation_problems, start_anywhere, rng=rng)
    test_root = judged("test", data.root_problems, start_at_root)
    test_random = judged("test", data.random_problems, start_anywhere, rng=rng)
    training = training_problems(site, data, queries_of(site, split, "training"), distances, seed)
    lessons = ClickLessons(site, links, training, shortest_paths(links, training, distances))
    return WebSets(lessons, validation_root, validation_random, test_root, test_random)


def training_problems(
    site: Site, data: WebData, queries: np.ndarray, distances: Distances, seed: int
) -> WebProblems:
    """The problems to learn from; those that cannot be solved are left out."""
    rng = np.random.default_rng([PROBLEM_SEED, seed])
    queries = queries if data.training_queries is None else rng.permutation(queries)[: data.training_queries]
    problems = start_at_root(site, queries)
    if data.starts == "root and anywhere":
        problems = join_problems([problems, start_anywhere(site, queries, rng=rng)])
    return keep(problems, distances.between(problems.starts, problems.targets) < UNREACHABLE)


def train(
    config: WebTraining, request: TrainingRequest, *, progress: Progress, site: WebSite | None = None
) -> RecordedRun:
    """Learn from shortest paths, keep the weights that do best on validation, judge them on test queries."""
    known, _ = site or load_site(config.data, request.data)
    sets = make_sets(known, config.data, seed=request.seed)
    manifest = describe_run(
        id=request.id,
        budget=request.budget,
        recipe=request.recipe,
        seed=request.seed,
        config=config.to_plain(request.data.name if request.data else "synthetic"),
        data_hash=data_hash(known.features, known.queries.features, known.full.offsets, known.full.targets),
        device=request.device,
        world_size=parallel.world_size(),
    )
    view = view_for(config.network, known, config.data.graph)
    network = build_seeded(config.network, view.dimension, request.seed)

    def learn(record: Record) -> Best:
        if config.first is not None:
            learn_reward_first(network, config, view, sets, request.seed)
        return fit(network, config.learning, view, sets, request.seed, record=record, progress=progress)

    def result(best: Best, seconds: float) -> dict[str, Any]:
        return {
            "scores": {
                "root": asdict(evaluate_links(network, view, sets.test_root)),
                "random": asdict(evaluate_links(network, view, sets.test_random)),
            },
            "best_epoch": best.epoch + 1,
            "training_seconds": round(seconds, 1),
            "training_queries": len(sets.lessons),
            "training_steps": int(sets.lessons.weights.sum()),
            "parameters": sum(weight.numel() for weight in network.parameters()),
        }

    return record_run(manifest, request, network, learn, result)


def build_seeded(config: WebNetworkConfig, dimension: int, seed: int) -> LinkPolicy:
    """The network with weights that the seed decides, whatever else draws random numbers."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return config.build(dimension)


def fit(
    network: nn.Module,
    learning: ImitationConfig,
    view: SiteView,
    sets: WebSets,
    seed: int,
    **watchers: Any,
) -> Best:
    """Learn, and leave the network with its best weights."""
    return imitate(
        network,
        sets.lessons,
        learning,
        seed=seed,
        loss=lambda policy: LinkLoss(policy, view),
        validate=validator(view, sets),
        **watchers,
    )


def learn_reward_first(
    network: LinkPolicy, config: WebTraining, view: SiteView, sets: WebSets, seed: int
) -> None:
    """Train the network with no backup at all, then hold its reward fast."""
    assert config.first is not None
    assert isinstance(network, PlannedPolicy)
    iterations, network.planner.iterations = network.planner.iterations, 1
    fit(network, config.first, view, sets, seed)
    network.planner.iterations = iterations
    network.reward.requires_grad_(False)


def validator(view: SiteView, sets: WebSets) -> Callable[[Any], Validation]:
    """A look at the validation queries; starts at the root and at random count the same."""

    def validate(policy: Any) -> Validation:
        root = evaluate_links(policy, view, sets.validation_root)
        random = evaluate_links(policy, view, sets.validation_random)
        shares = [one.successes / one.num_problems for one in (root, random)]
        return Validation(
            score=sum(shares),
            metrics={
                "validation_root_success": shares[0],
                "validation_random_success": shares[1],
                "validation_root_arrival": root.arrival_rate,
                "validation_random_arrival": random.arrival_rate,
            },
        )

    return validate


def one_cycle(epochs: int, rate: float, batch: int = 128) -> ImitationConfig:
    """One rise and fall of Adam's rate."""
    return ImitationConfig(stages=(Stage(epochs, rate, "one-cycle"),), batch_problems=batch)
