"""A site as a network sees it: which pages it may plan on, and which of them stand for each page."""

import numpy as np
import torch
from jaxtyping import Int

from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.site import GraphKind, Site
from vinlab.networks.links.configs import IndexVinConfig, PageVinConfig, WebNetworkConfig
from vinlab.networks.links.modules import SiteView
from vinlab.planning.graph import GraphTransition


def view_for(config: WebNetworkConfig, site: Site, kind: GraphKind) -> SiteView:
    """What the network sees of the site; the baseline has no graph to plan on."""
    if isinstance(config, PageVinConfig):
        return page_view(site, kind, config.discount)
    return index_view(site, config.discount if isinstance(config, IndexVinConfig) else 1.0)


def index_view(site: Site, discount: float) -> SiteView:
    """The small graph of the paper: index pages, the links among them, and each page's link to itself."""
    index = site.index()
    place = np.full(site.num_pages, -1)
    place[index] = np.arange(len(index))
    tree = site.tree.padded(index)
    rows, columns = np.nonzero((tree >= 0) & (place[tree] >= 0))
    sources = np.concatenate([rows, np.arange(len(index))])
    targets = np.concatenate([place[tree[rows, columns]], np.arange(len(index))])
    return SiteView(
        features=torch.from_numpy(site.features),
        nodes=torch.from_numpy(index),
        transition=_transition(sources, targets, len(index), discount),
        membership=torch.from_numpy(index_membership(site, place)),
    )


def index_membership(site: Site, place: Int[np.ndarray, " N"]) -> Int[np.ndarray, "N m"]:
    """The index pages that stand for each page: itself, or those it is in; the root where there are none."""
    above = site.parents.padded(np.arange(site.num_pages))
    # A deeper category hands on its own category, until one of the index is reached.
    while (deep := (above >= 0) & (place[above] < 0)).any():
        above[deep] = site.parents.padded(above[deep])[:, 0]
    members = np.where(above >= 0, place[above], -1)
    members[:, 0] = np.where(place >= 0, place, members[:, 0])
    members[:, 1:] = np.where(place[:, None] >= 0, -1, members[:, 1:])
    first = np.maximum(members.max(axis=1, keepdims=True), 0)
    return np.where(members >= 0, members, first)


def page_view(site: Site, kind: GraphKind, discount: float) -> SiteView:
    """The whole site as the graph to plan on; every page stands for itself."""
    links: Links = site.graph(kind)
    every = torch.arange(site.num_pages)
    return SiteView(
        features=torch.from_numpy(site.features),
        nodes=every,
        transition=_transition(links.sources(), np.asarray(links.targets), site.num_pages, discount),
        membership=every[:, None],
    )


def _transition(
    sources: Int[np.ndarray, " E"], targets: Int[np.ndarray, " E"], count: int, discount: float
) -> GraphTransition:
    weights = torch.full((len(sources),), discount)
    return GraphTransition(
        torch.from_numpy(sources.astype(np.int64)), torch.from_numpy(targets.astype(np.int64)), weights, count
    )
