"""A shipped model on maps of other sizes and sets; nothing is trained."""

from dataclasses import dataclass
from typing import Any

from vinlab.experiments.any_map.data import Sets, make_test_sets
from vinlab.experiments.any_map.evaluate import evaluate_maps
from vinlab.experiments.base import FitContext, TrainingRequest
from vinlab.experiments.generalisation.settings import GeneralisationConfig
from vinlab.experiments.results import RunResult
from vinlab.learners.training_state import Best
from vinlab.models import Model, load
from vinlab.recording.hashing import data_hash


@dataclass(frozen=True)
class GeneralisationSets:
    """The model, the maps, and the scores so far."""

    model: Model
    test: Sets
    scores: dict[str, Any]

    @property
    def hash(self) -> str:
        """Of the maps and of the weights."""
        arrays = [part for one in self.test.values() for part in (one.obstacles, one.starts, one.goals)]
        return data_hash(*arrays, *self.model.network.state_dict().values())


def make_data(config: GeneralisationConfig, request: TrainingRequest) -> GeneralisationSets:
    """The shipped model and all maps."""
    return GeneralisationSets(load(config.model), make_test_sets(config.data.test), {})


def fit(config: GeneralisationConfig, data: GeneralisationSets, network: Any, context: FitContext) -> Best:
    """Evaluate set by set; a killed run goes on with the next set."""
    found = context.logger.load_checkpoint()
    data.scores.update(found[1]["scores"] if found else {})
    for name in [name for name in data.test if name not in data.scores]:
        data.scores[name] = evaluate_maps(data.model, data.test[name])
        context.logger.log({"maps": name, "success_rate": data.scores[name]["success_rate"]})
        context.logger.save_checkpoint({}, {"scores": data.scores})
        context.progress(len(data.scores), len(data.test), name)
    return Best()


def score(config: GeneralisationConfig, data: GeneralisationSets, network: Any, seed: int) -> RunResult:
    """The scores by set, in the order of the settings."""
    return RunResult(scores={name: data.scores[name] for name in data.test})
