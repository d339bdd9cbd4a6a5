"""Training on a site by imitation: queries and shortest paths in, a recorded run out."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from torch import nn

from vinlab.experiments.base import TrainingRequest, seeded
from vinlab.experiments.gridworld.train import record_run
from vinlab.experiments.web.data import WebData, WebSets, WebSite, load_site, make_sets
from vinlab.experiments.web.evaluate import evaluate_links
from vinlab.experiments.web.view import view_for
from vinlab.learners.callbacks import Progress, RunLogger, Validation
from vinlab.learners.imitation import Best, ImitationConfig, imitate
from vinlab.learners.link_imitation import LinkLoss
from vinlab.learners.optimizers import Stage
from vinlab.networks.links.configs import WebNetworkConfig, web_network_to_plain
from vinlab.networks.links.modules import SiteView
from vinlab.networks.links.policies import LinkPolicy, WebValueIterationNetwork
from vinlab.recording.finished_run import FinishedRun
from vinlab.recording.hashing import data_hash


@dataclass(frozen=True)
class FirstLesson:
    """What a network learns before all of it learns together."""

    part: Literal["reward", "plan"]
    """``reward``: without backups, and then keeps it (the paper on the full Wikipedia). ``plan``: without the reactive
    part, which from the root does so well that it would leave the planner no gradient."""
    learning: ImitationConfig


@dataclass(frozen=True)
class WebTraining:
    """All that settles a run."""

    network: WebNetworkConfig
    data: WebData
    learning: ImitationConfig
    first: FirstLesson | None = None

    def to_plain(self, source: str) -> dict[str, Any]:
        """The same as a manifest holds it, with the name of the site."""
        return {
            "network": web_network_to_plain(self.network),
            "data": {**asdict(self.data), "source": source},
            "learning": asdict(self.learning),
            "first": asdict(self.first) if self.first else None,
        }


def train(
    config: WebTraining, request: TrainingRequest, *, progress: Progress, site: WebSite | None = None
) -> FinishedRun:
    """Learn from shortest paths, keep the weights that do best on validation, judge them on test queries."""
    known, _ = site or load_site(config.data, request.data)
    sets = make_sets(known, config.data, seed=request.seed)
    manifest = request.describe(
        config.to_plain(request.data.name if request.data else "synthetic"),
        data_hash(known.features, known.queries.features, known.full.offsets, known.full.targets),
    )
    view = view_for(config.network, known, config.data.graph)
    network = seeded(request.seed, lambda: config.network.build(view.dimension))

    def learn(record: RunLogger) -> Best:
        if config.first is not None:
            learn_first(network, config.first, view, sets, request.seed)
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


def learn_first(network: LinkPolicy, lesson: FirstLesson, view: SiteView, sets: WebSets, seed: int) -> None:
    """Teach one part of the network by itself."""
    assert isinstance(network, WebValueIterationNetwork)
    if lesson.part == "plan":
        fit(network.without_reactive_part(), lesson.learning, view, sets, seed)
        return
    iterations, network.planner.iterations = network.planner.iterations, 1
    fit(network, lesson.learning, view, sets, seed)
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
