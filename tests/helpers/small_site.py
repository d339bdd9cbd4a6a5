"""A site of ten pages whose answers can be worked out by hand.

root 0 ── A 1 ── articles 3, 4, 5          links: 3→6, 5→4, 6→9, 9→1, 9→3
      └── B 2 ── articles 6, 7, 8, 9
"""

import numpy as np

from vinlab.domains.web.link_graph import make_links
from vinlab.domains.web.site import Queries, Site

LEVELS = np.array([0, 1, 1, *[-1] * 7])
PARENTS = {1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 2, 7: 2, 8: 2, 9: 2}
LINKS = [(3, 6), (5, 4), (6, 9), (9, 1), (9, 3)]


def ten_pages(dimension=4):
    rng = np.random.default_rng(0)
    parents = make_links(np.array(list(PARENTS)), np.array(list(PARENTS.values())), 10)
    tree = parents.joined(parents.reversed())
    sources, targets = np.array(LINKS).T
    articles = np.arange(3, 10)
    return Site(
        titles=[f"page {number}" for number in range(10)],
        levels=LEVELS,
        parents=parents,
        full=make_links(sources, targets, 10).joined(tree),
        tree=tree,
        features=rng.standard_normal((10, dimension)).astype(np.float32),
        duplicate_of=np.arange(10),
        queries=Queries(
            rng.standard_normal((7, dimension)).astype(np.float32), articles, [f"q{p}" for p in articles]
        ),
    )
