"""Training and evaluation on a large site, from the root."""

from dataclasses import asdict
from functools import partial
from typing import Any

from vinlab.experiments.base import EvaluateRequest, Evaluation, FitContext, TrainingRequest, recorded_data
from vinlab.experiments.results import RunResult
from vinlab.experiments.web.evaluate import asked_iterations, evaluate_links, training_size
from vinlab.experiments.web.scale.data import ScaleData, ScaleSets, make_sets
from vinlab.experiments.web.scale.settings import ScaleTraining
from vinlab.experiments.web.train import fit_stages
from vinlab.learners.callbacks import Validation
from vinlab.learners.training_state import Best
from vinlab.models import Model
from vinlab.networks.links.policies import LinkPolicy
from vinlab.types import InputError


def make_data(config: ScaleTraining, request: TrainingRequest) -> ScaleSets:
    """The site and the sets of a run."""
    if request.data is not None:
        raise InputError(f"{request.id} does not support --data {request.data}: its site is generated.")
    return make_sets(config.data, seed=request.seed)


def fit(config: ScaleTraining, data: ScaleSets, network: LinkPolicy, context: FitContext) -> Best:
    """Imitate the expert; the VIN without backups first, then with its reward frozen."""
    return fit_stages(network, config, data.demonstrations, data.view, partial(validate, data), context)


def validate(data: ScaleSets, policy: Any) -> Validation:
    """The paper's success on validation problems."""
    found = evaluate_links(policy, data.view, data.validation)
    return Validation(found.success_rate, {"validation_root_success": found.success_rate})


def score(config: ScaleTraining, data: ScaleSets, network: LinkPolicy, seed: int) -> RunResult:
    """The scores on the test problems."""
    scores = {"root": asdict(evaluate_links(network, data.view, data.test))}
    pages = {"planning_pages": int(data.view.transition.num_nodes)}
    return RunResult(scores, extra={**training_size(data.demonstrations), **pages})


def evaluate(model: Model, request: EvaluateRequest) -> Evaluation:
    """The scores of a model on the test problems of its site, which is generated anew."""
    reason = "its test problems are queries of a generated site"
    request.refuse(model.id, problems=reason, corner_cutting=reason, data=reason)
    iterations = asked_iterations(model, request)
    sets = make_sets(recorded_data(ScaleData, model.config), seed=0)
    policy: Any = model.network
    found = evaluate_links(policy, sets.view, sets.test, iterations=iterations, progress=request.progress)
    return Evaluation({"root": asdict(found)}, {"iterations": iterations or policy.iterations})
