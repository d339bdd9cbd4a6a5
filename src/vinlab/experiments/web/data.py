"""The problems of a site: those to learn from, to choose by and to be judged on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from vinlab.domains.web.corpus import read_corpus
from vinlab.domains.web.demonstrations import ClickLessons
from vinlab.domains.web.expert import UNREACHABLE, Distances, distances_to, shortest_paths
from vinlab.domains.web.features import TextEmbedding
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
from vinlab.domains.web.site_files import is_site, open_site
from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia
from vinlab.experiments.web.evaluate import EvaluationProblems, make_evaluation_problems
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
    validation_root: EvaluationProblems
    validation_random: EvaluationProblems
    test_root: EvaluationProblems
    test_random: EvaluationProblems


def make_sets(site: Site, data: WebData, *, seed: int) -> WebSets:
    """All sets of problems; those for choosing and judging do not depend on the seed of training."""
    links = site.graph(data.graph)
    distances = distances_to(links, np.unique(site.queries.pages))
    rng = np.random.default_rng(PROBLEM_SEED)
    split = split_pages(site, rng=rng)

    def judged(
        part: Any, count: int, begin: Callable[..., WebProblems], **options: Any
    ) -> EvaluationProblems:
        queries = draw(queries_of(site, split, part), count, rng=rng)
        return make_evaluation_problems(site, links, begin(site, queries, **options), distances)

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
