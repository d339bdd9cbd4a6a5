"""A large generated site in mapped files, the smaller site to plan on, and problems from the root."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from vinlab.domains.web.demonstrations import ClickDemonstrations
from vinlab.domains.web.expert import distances_from, paths_from
from vinlab.domains.web.large_site import (
    LargeSiteConfig,
    PlanningSite,
    make_planning_site,
    open_large_site,
    write_large_site,
)
from vinlab.domains.web.problem import ROOT, WebProblems, draw, queries_of, split_pages, start_at_root
from vinlab.domains.web.site import Site
from vinlab.experiments.web.data import PROBLEM_SEED, SITE_SEED, EvaluationProblems
from vinlab.networks.links.view import SiteView
from vinlab.planning.graph import GraphTransition
from vinlab.recording.hashing import data_hash


@dataclass(frozen=True)
class ScaleData:
    """The large site and its problems, all from the root."""

    site: LargeSiteConfig
    training_queries: int
    validation_problems: int
    test_problems: int


@dataclass(frozen=True)
class ScaleSets:
    """The large site as a network reads it, and its problems."""

    site: Site
    view: SiteView
    demonstrations: ClickDemonstrations
    validation: EvaluationProblems
    test: EvaluationProblems
    folder: tempfile.TemporaryDirectory
    """Holds the mapped files as long as the sets are used."""

    @property
    def hash(self) -> str:
        """Of the queries, the links of the first pages and the planning graph."""
        site, nodes = self.site, self.view.node_features
        return data_hash(site.queries.features, site.queries.pages, site.full.targets[: 1 << 20], nodes)


def make_sets(data: ScaleData, *, seed: int) -> ScaleSets:
    """Write the site to a temporary folder, and make its problems."""
    folder = tempfile.TemporaryDirectory(prefix="vinlab-site-")
    where = Path(folder.name)
    write_large_site(where, data.site, rng=np.random.default_rng(SITE_SEED))
    site = open_large_site(where)
    planning = make_planning_site(site, data.site.planning_pages, rng=np.random.default_rng(SITE_SEED))
    rng = np.random.default_rng(PROBLEM_SEED)
    split = split_pages(site, rng=rng)
    validation, test = (
        start_at_root(site, draw(queries_of(site, split, part), count, rng=rng))  # pyright: ignore[reportArgumentType]
        for part, count in (("validation", data.validation_problems), ("test", data.test_problems))
    )
    seeded = np.random.default_rng([PROBLEM_SEED, seed])
    training = start_at_root(
        site, seeded.permutation(queries_of(site, split, "training"))[: data.training_queries]
    )
    return ScaleSets(
        site=site,
        view=planning_view(site, planning),
        demonstrations=ClickDemonstrations(
            site, site.full, training, paths_from(site.full, ROOT, training.targets)
        ),
        validation=evaluation_problems(site, validation),
        test=evaluation_problems(site, test),
        folder=folder,
    )


def evaluation_problems(site: Site, problems: WebProblems) -> EvaluationProblems:
    """The problems with the paths of one search from the root, and all pages on shortest paths."""
    distances = distances_from(site.full, ROOT, problems.targets)
    steps = paths_from(site.full, ROOT, problems.targets)
    solvable = np.bincount(steps.problems, minlength=len(problems)) > 0
    return EvaluationProblems(site, site.full, problems, distances, steps, solvable)


def planning_view(site: Site, planning: PlanningSite, *, discount: float = 1.0) -> SiteView:
    """The large site with the smaller one's graph to plan on, each of whose pages also links to itself."""
    planning.require_known(site.num_pages)
    count = len(planning.pages)
    own = np.arange(count)
    sources = torch.from_numpy(np.concatenate([planning.links.sources(), own]))
    targets = torch.from_numpy(np.concatenate([planning.links.targets.astype(np.int64), own]))
    return SiteView(
        features=torch.from_numpy(site.features),
        nodes=torch.from_numpy(planning.pages),
        transition=GraphTransition(sources, targets, torch.full((len(sources),), discount), count),
        # Attention by similarity needs no membership.
        membership=torch.zeros(1, 1, dtype=torch.int64).expand(site.num_pages, 1),
        own_node_features=torch.from_numpy(planning.features),
    )
