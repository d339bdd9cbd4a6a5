"""The problems of a site: those to train on, to choose weights by and to test on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Bool, Int

from vinlab.domains.web.corpus import read_corpus
from vinlab.domains.web.demonstrations import ClickDemonstrations
from vinlab.domains.web.expert import UNREACHABLE, Distances, ExpertSteps, distances_to, shortest_paths
from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.problem import (
    Part,
    WebProblems,
    draw,
    queries_of,
    split_pages,
    start_anywhere,
    start_at_root,
)
from vinlab.domains.web.site import Control, GraphKind, Site, build_site
from vinlab.domains.web.site_files import is_site, open_site
from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia
from vinlab.models import Model
from vinlab.networks.links.view import SiteView
from vinlab.recording.hashing import data_hash
from vinlab.recording.serialization import dataclass_from_plain
from vinlab.types import InputError, concatenate

SITE_SEED, PROBLEM_SEED = 2016, 2017
"""Sites, splits, validation and test problems are the same for every seed of training."""

SYNTHETIC = "synthetic"
"""What a manifest names as the source of the generated encyclopedia."""


@dataclass(frozen=True)
class WebData:
    """Which problems to train on, to choose weights by and to test on."""

    graph: GraphKind
    starts: Literal["root", "root and anywhere"]
    """Where training paths start: at the root (the paper), or as many again at random articles."""
    control: Control = "none"
    training_queries: int | None = None
    """How many of the training queries to use; None uses all."""
    validation_problems: int = 500
    """From the root, and as many again from random articles."""
    root_problems: int = 2000
    random_problems: int = 4000
    encyclopedia: EncyclopediaConfig = field(default_factory=EncyclopediaConfig)
    """The site when no folder of real data is given."""


def load_site(data: WebData, source: Path | None) -> tuple[Site, TextEmbedding]:
    """The synthetic encyclopedia, or the site in a folder: a corpus in tables, or what ``write_site`` wrote."""
    if source is None:
        corpus = make_encyclopedia(data.encyclopedia, rng=np.random.default_rng(SITE_SEED))
    elif is_site(source):
        if data.control != "none":
            raise InputError(
                f"the control {data.control}: expected a folder with the corpus itself, got {source} with "
                "finished features."
            )
        return open_site(source)
    else:
        corpus = read_corpus(source)
    return build_site(corpus, rng=np.random.default_rng(SITE_SEED), control=data.control)


def recorded_data(model: Model, source: Path | None) -> WebData:
    """The data of a model; one that was trained on real data needs their folder."""
    plain = dict(model.config.get("data", {}))
    trained_on = plain.pop("source", None)
    if "encyclopedia" not in plain:
        raise InputError(f"expected a model of web navigation (web/…), got {model.id}.")
    if source is None and trained_on != SYNTHETIC:
        raise InputError(
            f"--data: expected the folder of {trained_on}, which {model.id} was trained on, got none."
        )
    return dataclass_from_plain(WebData, plain, name="data")


@dataclass(frozen=True)
class EvaluationProblems:
    """Problems with the expert's paths."""

    site: Site
    links: Links
    problems: WebProblems
    distances: Distances
    steps: ExpertSteps
    solvable: Bool[np.ndarray, " B"]

    @property
    def shortest(self) -> Int[np.ndarray, " B"]:
        """The clicks of a shortest path."""
        return self.distances.between(self.problems.starts, self.problems.targets)


def make_evaluation_problems(
    site: Site, links: Links, problems: WebProblems, distances: Distances | None = None
) -> EvaluationProblems:
    """The problems with their shortest paths; those without a path have no steps."""
    distances = distances or distances_to(links, problems.targets)
    solvable = distances.between(problems.starts, problems.targets) < UNREACHABLE
    kept = np.flatnonzero(solvable)
    steps = shortest_paths(links, problems[kept], distances)
    steps = ExpertSteps(kept[steps.problems], steps.pages, steps.following)
    return EvaluationProblems(site, links, problems, distances, steps, solvable)


@dataclass(frozen=True)
class EvaluationSet:
    """Problems from the root and problems from random articles."""

    root: EvaluationProblems
    random: EvaluationProblems


@dataclass(frozen=True)
class WebSets:
    """The site of a run as its network reads it, and its problems."""

    site: Site
    view: SiteView
    demonstrations: ClickDemonstrations
    validation: EvaluationSet
    test: EvaluationSet

    @property
    def hash(self) -> str:
        """Of the features and the links."""
        site = self.site
        return data_hash(site.features, site.queries.features, site.full.offsets, site.full.targets)


def make_sets(site: Site, view: SiteView, data: WebData, *, seed: int) -> WebSets:
    """All sets of problems; the seed changes the training problems alone."""
    links, distances = site.graph(data.graph), _distances(site, data)
    validation, test = make_evaluation_sets(site, data, distances)
    training = training_problems(site, data, distances, seed=seed)
    steps = shortest_paths(links, training, distances)
    return WebSets(site, view, ClickDemonstrations(site, links, training, steps), validation, test)


def make_evaluation_sets(
    site: Site, data: WebData, distances: Distances | None = None
) -> tuple[EvaluationSet, EvaluationSet]:
    """The validation and the test problems."""
    links, distances = site.graph(data.graph), distances or _distances(site, data)
    rng = np.random.default_rng(PROBLEM_SEED)
    split = split_pages(site, rng=rng)

    def make(part: Part, root: int, random: int) -> EvaluationSet:
        queries = queries_of(site, split, part)
        from_root = start_at_root(site, draw(queries, root, rng=rng))
        from_random = start_anywhere(site, draw(queries, random, rng=rng), rng=rng)
        return EvaluationSet(
            make_evaluation_problems(site, links, from_root, distances),
            make_evaluation_problems(site, links, from_random, distances),
        )

    validation = make("validation", data.validation_problems, data.validation_problems)
    return validation, make("test", data.root_problems, data.random_problems)


def _distances(site: Site, data: WebData) -> Distances:
    return distances_to(site.graph(data.graph), np.unique(site.queries.pages))


def training_problems(site: Site, data: WebData, distances: Distances, *, seed: int) -> WebProblems:
    """The solvable training problems."""
    split = split_pages(site, rng=np.random.default_rng(PROBLEM_SEED))
    queries = queries_of(site, split, "training")
    rng = np.random.default_rng([PROBLEM_SEED, seed])
    queries = queries if data.training_queries is None else rng.permutation(queries)[: data.training_queries]
    problems = start_at_root(site, queries)
    if data.starts == "root and anywhere":
        problems = concatenate([problems, start_anywhere(site, queries, rng=rng)])
    return problems[distances.between(problems.starts, problems.targets) < UNREACHABLE]
