"""A site as a network reads it: the pages to plan on, and the nodes that stand for each page."""

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from vinlab.domains.web.site import GraphKind, Site
from vinlab.networks.configs import NetworkConfig
from vinlab.networks.links.configs import IndexVinConfig, PageVinConfig
from vinlab.networks.links.view import SiteView
from vinlab.planning.graph import GraphTransition


def view_for(config: NetworkConfig, site: Site, kind: GraphKind) -> SiteView:
    """The view of a network; the baseline has one too, and does not plan on it."""
    if isinstance(config, PageVinConfig):
        return page_view(site, kind, config.discount)
    return index_view(site, config.discount if isinstance(config, IndexVinConfig) else 1.0)


def index_view(site: Site, discount: float) -> SiteView:
    """The paper's small graph: index pages, the links among them, and a link of each page to itself."""
    index = site.index()
    node = np.full(site.num_pages, -1)
    node[index] = np.arange(len(index))
    tree = site.tree.padded(index)
    rows, columns = np.nonzero((tree >= 0) & (node[tree] >= 0))
    sources = np.concatenate([rows, np.arange(len(index))])
    targets = np.concatenate([node[tree[rows, columns]], np.arange(len(index))])
    members = torch.from_numpy(index_membership(site, node))
    return _view(site, torch.from_numpy(index), (sources, targets), discount, members)


def index_membership(site: Site, node: Int[np.ndarray, " N"]) -> Int[np.ndarray, "N m"]:
    """The index pages that stand for each page: itself, or its categories; the root where there are none."""
    above = site.parents.padded(np.arange(site.num_pages))
    # A category below the index is replaced by its own category, until it is an index page.
    while (deep := (above >= 0) & (node[above] < 0)).any():
        above[deep] = site.parents.padded(above[deep])[:, 0]
    members = np.where(above >= 0, node[above], -1)
    members[:, 0] = np.where(node >= 0, node, members[:, 0])
    members[:, 1:] = np.where(node[:, None] >= 0, -1, members[:, 1:])
    first = np.maximum(members.max(axis=1, keepdims=True), 0)
    return np.where(members >= 0, members, first)


def page_view(site: Site, kind: GraphKind, discount: float) -> SiteView:
    """The whole site as the planning graph; every page stands for itself."""
    links = site.graph(kind)
    every = torch.arange(site.num_pages)
    return _view(site, every, (links.sources(), np.asarray(links.targets)), discount, every[:, None])


def _view(
    site: Site, nodes: Tensor, links: tuple[np.ndarray, np.ndarray], discount: float, membership: Tensor
) -> SiteView:
    """The site with a graph to plan on: its nodes, and the sources and targets of the links among them."""
    sources, targets = (torch.from_numpy(ends.astype(np.int64)) for ends in links)
    transition = GraphTransition(sources, targets, torch.full((len(sources),), discount), len(nodes))
    features = torch.from_numpy(site.features)
    return SiteView(features, nodes, transition, membership, sparse=site.sparse)
