"""The environment: a click follows a link; an episode ends at the target, at a dead end or after some clicks."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from vinlab.domains.web.link_graph import Links
from vinlab.domains.web.problem import WebProblems

MAX_CLICKS = 10

ChooseLinks = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""A policy: from the problems ``[S]`` that go on and their pages ``[S]`` to the pages ``[S]`` of the links clicked."""


@dataclass(frozen=True)
class LinkRollouts:
    """The pages that a policy visits in each problem."""

    pages: Int[np.ndarray, "B T"]
    """From the start on; -1 after the end of the episode."""
    clicks: Int[np.ndarray, " B"]
    """The number of clicks to the target; -1 where it is not reached."""


def follow_links(
    choose: ChooseLinks, links: Links, problems: WebProblems, *, max_clicks: int = MAX_CLICKS
) -> LinkRollouts:
    """Let a policy click in all problems at once."""
    pages = np.full((len(problems), max_clicks + 1), -1)
    pages[:, 0] = problems.starts
    clicks = np.where(problems.starts == problems.targets, 0, -1)
    for click in range(1, max_clicks + 1):
        here = pages[:, click - 1]
        active = np.flatnonzero((clicks < 0) & (links.counts(np.maximum(here, 0)) > 0) & (here >= 0))
        pages[active, click] = choose(active, here[active])
        clicks[active[pages[active, click] == problems.targets[active]]] = click
    return LinkRollouts(pages, clicks)
