"""What a link policy reads of a site: the features of the pages and the graph to plan on."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Float32, Int
from torch import Tensor

from vinlab.planning.graph import GraphTransition


@runtime_checkable
class SparseFeatures(Protocol):
    """Sparse features of the pages, which are compared with those of a query and not read themselves."""

    def similarities(self, queries: Any, pages: Int[np.ndarray, " n"]) -> Float32[np.ndarray, "Q n kinds"]:
        """What each query, a sparse row, has in common with each of some pages, by kind of similarity."""
        ...


@dataclass(frozen=True)
class SiteView:
    """The part of a site that a policy reads."""

    features: Float[Tensor, "N D"]
    """May be half precision and lie in a mapped file: only the rows of a batch are read."""
    nodes: Int[Tensor, " G"]
    """The pages of the planning graph."""
    transition: GraphTransition
    membership: Int[Tensor, "N m"]
    """The nodes that stand for each page, padded by repetition: itself, or the categories that contain it."""
    sparse: SparseFeatures | None = None
    own_node_features: Float[Tensor, "G D"] | None = None
    """The features of the nodes where the planning graph is that of another site."""

    @property
    def dimension(self) -> int:
        """The number of features of a page."""
        return self.features.shape[1]

    @cached_property
    def node_features(self) -> Float[Tensor, "G D"]:
        """The features of the planning graph's nodes."""
        return self.read(self.nodes) if self.own_node_features is None else self.own_node_features

    def read(self, pages: Int[Tensor, "*S"]) -> Float[Tensor, "*S D"]:
        """The features of some pages in single precision; padding (-1) reads page 0."""
        rows = self.features.index_select(0, pages.clamp(min=0).reshape(-1))
        return rows.float().reshape(*pages.shape, -1)

    def similarities(self, words: Any, pages: Int[Tensor, " n"]) -> Float[Tensor, "B n kinds"]:
        """What each query has in common with each of some pages; padding (-1) reads page 0."""
        assert self.sparse is not None
        return torch.from_numpy(self.sparse.similarities(words, pages.clamp(min=0).numpy()))
