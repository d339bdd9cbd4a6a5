"""The problems of a site: those to train on, to choose weights by and to test on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Bool, Int

from vinlab.domains.web.corpus import Corpus, read_corpus
from vinlab.domains.web.demonstrations import ClickDemonstrations
from vinlab.domains.web.expert import (
    UNREACHABLE,
    Distances,
    ExpertSteps,
    RootDistances,
    distances_to,
    shortest_paths,
)
from vinlab.domains.web.features import TextEmbedding
from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.problem import (
    PARTS,
    Part,
    WebProblems,
    draw,
    queries_of,
    split_pages,
    start_anywhere,
    start_at_root,
)
from vinlab.domains.web.site import Control, GraphKind, Site, build_site, with_sparse_features
from vinlab.domains.web.site_files import is_site, open_site
from vinlab.domains.web.synthetic import EncyclopediaConfig, make_encyclopedia
from vinlab.experiments import base
from vinlab.models import Model
from vinlab.networks.links.view import SiteView
from vinlab.recording.hashing import data_hash
from vinlab.types import InputError, concatenate

SITE_SEED, PROBLEM_SEED = 2016, 2017
"""Sites, splits, validation and test problems are the same for every seed of training."""

Features = Literal["dense", "sparse"]
"""Averages of word vectors alone, or TF-IDF features too."""

SYNTHETIC = "synthetic"
"""What a manifest names as the source of the generated encyclopedia."""


@dataclass(frozen=True)
class WebData:
    """Which problems to train on, to choose weights by and to test on."""

    graph: GraphKind
    starts: Literal["root", "root and anywhere"]
    """Where training paths start: at the root (the paper), or as many again at random articles."""
    control: Control = "none"
    features: Features = "dense"
    hides_test_pages: bool = False
    """Whether training sees the site without the test pages: neither their texts and titles nor their links."""
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
    if source is not None and is_site(source):
        if data.control != "none":
            _refuse_finished(f"the control {data.control}", source)
        site, embedding = open_site(source)
        if data.features == "sparse" and site.sparse is None:
            raise InputError(f"{source}: expected a site with sparse features, got one without.")
        return site, embedding
    return make_site(data, load_corpus(data.encyclopedia, source))


def load_corpus(encyclopedia: EncyclopediaConfig, source: Path | None) -> Corpus:
    """The synthetic encyclopedia, or the corpus in a folder."""
    if source is None:
        return make_encyclopedia(encyclopedia, rng=np.random.default_rng(SITE_SEED))
    if is_site(source):
        _refuse_finished("training without the test pages", source)
    return read_corpus(source)


def make_site(data: WebData, corpus: Corpus) -> tuple[Site, TextEmbedding]:
    """The site of a corpus with the features that the data ask for."""
    site, embedding = build_site(corpus, rng=np.random.default_rng(SITE_SEED), control=data.control)
    return (with_sparse_features(site, corpus) if data.features == "sparse" else site), embedding


def _refuse_finished(name: str, source: Path) -> None:
    """Refuse a folder with finished features where the texts themselves are needed."""
    raise InputError(
        f"{name}: expected a folder with the corpus itself, got {source} with finished features."
    )


def recorded_data(model: Model, source: Path | None) -> WebData:
    """The data of a model; one that was trained on real data needs their folder."""
    if "encyclopedia" not in model.config.get("data", {}):
        raise InputError(
            f"expected a model of web navigation on a site with words (web/full/… or web/tree/…), got {model.id}."
        )
    base.require_folder(model, source, SYNTHETIC)
    return base.recorded_data(WebData, model.config)


@dataclass(frozen=True)
class EvaluationProblems:
    """Problems with the expert's paths."""

    site: Site
    links: Links
    problems: WebProblems
    distances: Distances | RootDistances
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
class Shown:
    """A site as training sees it."""

    site: Site
    view: SiteView
    pages: Int[np.ndarray, " n"]
    """The number of each of its pages in the whole site."""


@dataclass(frozen=True)
class WebSets:
    """The site of a run as its network reads it, and its problems."""

    site: Site
    """The whole site, which is tested on."""
    view: SiteView
    shown: Shown
    """What training and validation see of it."""
    demonstrations: ClickDemonstrations
    validation: EvaluationSet
    test: EvaluationSet

    @property
    def hash(self) -> str:
        """Of the features and the links."""
        site = self.site
        sparse = [] if site.sparse is None else [site.sparse.texts.data, site.sparse.texts.indices]
        return data_hash(site.features, site.queries.features, site.full.offsets, site.full.targets, *sparse)


def make_sets(site: Site, view: SiteView, data: WebData, *, seed: int, shown: Shown | None = None) -> WebSets:
    """All sets of problems; the seed changes the training problems alone."""
    split = page_split(site)
    everything = shown is None
    shown = shown or Shown(site, view, np.arange(site.num_pages))
    links = shown.site.graph(data.graph)
    distances = distances_to(links, np.unique(shown.site.queries.pages))
    validation, test = make_evaluation_sets(site, data, distances if everything else None)
    if not everything:
        rng = np.random.default_rng(PROBLEM_SEED)
        validation = _make_set(shown.site, data, split[shown.pages], "validation", distances, rng)
    training = training_problems(shown.site, data, split[shown.pages], distances, seed=seed)
    steps = shortest_paths(links, training, distances)
    demonstrations = ClickDemonstrations(shown.site, links, training, steps)
    return WebSets(site, view, shown, demonstrations, validation, test)


def page_split(site: Site) -> Int[np.ndarray, " N"]:
    """The part of every page, the same in all runs."""
    return split_pages(site, rng=np.random.default_rng(PROBLEM_SEED))


def make_evaluation_sets(
    site: Site, data: WebData, distances: Distances | None = None
) -> tuple[EvaluationSet, EvaluationSet]:
    """The validation and the test problems on the whole site."""
    rng = np.random.default_rng(PROBLEM_SEED)
    split = split_pages(site, rng=rng)
    if distances is None:
        asked = site.queries.pages
        held_out = asked[split[asked] != PARTS.index("training")]
        distances = distances_to(site.graph(data.graph), np.unique(held_out))
    validation = _make_set(site, data, split, "validation", distances, rng)
    return validation, _make_set(site, data, split, "test", distances, rng)


def _make_set(
    site: Site,
    data: WebData,
    split: Int[np.ndarray, " N"],
    part: Part,
    distances: Distances,
    rng: np.random.Generator,
) -> EvaluationSet:
    links, queries = site.graph(data.graph), queries_of(site, split, part)
    root, random = (
        (data.root_problems, data.random_problems) if part == "test" else (data.validation_problems,) * 2
    )
    from_root = start_at_root(site, draw(queries, root, rng=rng))
    from_random = start_anywhere(site, draw(queries, random, rng=rng), rng=rng)
    return EvaluationSet(
        make_evaluation_problems(site, links, from_root, distances),
        make_evaluation_problems(site, links, from_random, distances),
    )


def training_problems(
    site: Site, data: WebData, split: Int[np.ndarray, " N"], distances: Distances, *, seed: int
) -> WebProblems:
    """The solvable training problems."""
    queries = queries_of(site, split, "training")
    rng = np.random.default_rng([PROBLEM_SEED, seed])
    queries = queries if data.training_queries is None else rng.permutation(queries)[: data.training_queries]
    problems = start_at_root(site, queries)
    if data.starts == "root and anywhere":
        problems = concatenate([problems, start_anywhere(site, queries, rng=rng)])
    return problems[distances.between(problems.starts, problems.targets) < UNREACHABLE]
