"""Schematic figures: boxes and arrows of a VIN, of its planning module, and of a hierarchy of planners."""

from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from vinlab.figures import style

LEARNED: Final = "#D6E8F5"
"""The fill of parts with weights."""

FIXED: Final = "#F2F2F2"
"""The fill of parts without weights."""

DATA: Final = "white"
"""The fill of what parts take and give."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A labelled box; lengths are in inches from the lower left corner of the figure."""

    text: str
    x: float
    """Of its centre."""
    y: float
    width: float = 1.15
    height: float = 0.5
    fill: str = LEARNED

    @property
    def left(self) -> Point:
        """The middle of its left edge; likewise the others."""
        return self.x - self.width / 2, self.y

    @property
    def right(self) -> Point:
        """The middle of its right edge."""
        return self.x + self.width / 2, self.y

    @property
    def top(self) -> Point:
        """The middle of its upper edge."""
        return self.x, self.y + self.height / 2

    @property
    def bottom(self) -> Point:
        """The middle of its lower edge."""
        return self.x, self.y - self.height / 2


def vin_figure() -> Figure:
    """A VIN: reward and transition from the observation, a plan, attention in the state, a reactive policy."""
    figure, axes = _canvas(8.3, 2.6)
    observation = _box(axes, Box("observation\n$\\phi(s)$", 0.75, 1.55, 1.1, fill=DATA))
    reward = _box(axes, Box("reward\n$f_R$", 2.35, 1.9))
    transition = _box(axes, Box("transition\n$f_P$", 2.35, 1.2))
    planner = _box(axes, Box("planning module\n$K$ backups", 4.1, 1.55, 1.35, 0.75, fill=FIXED))
    attention = _box(axes, Box("attention\n$\\psi(s)$", 5.75, 1.55, fill=FIXED))
    policy = _box(axes, Box("policy\n$\\pi_{re}$", 7.35, 1.55))
    state = _box(axes, Box("state $s$", 5.75, 0.5, 0.9, 0.35, fill=DATA))
    move = _box(axes, Box("move $a$", 7.35, 0.5, 0.9, 0.35, fill=DATA))
    for start, end, label in (
        (observation.right, reward.left, ""),
        (observation.right, transition.left, ""),
        (reward.right, (planner.left[0], 1.7), "$\\bar R$"),
        (transition.right, (planner.left[0], 1.4), "$\\bar P$"),
        (planner.right, attention.left, "$\\bar Q, \\bar V$"),
        (state.top, attention.bottom, ""),
        (attention.right, policy.left, ""),
        (policy.bottom, move.top, ""),
    ):
        _arrow(axes, start, end, label)
    _key(axes, 0.25, 0.5)
    return figure


def planning_module_figure() -> Figure:
    """The planning module: a backup is a convolution and a maximum over its channels, repeated K times."""
    figure, axes = _canvas(7.6, 2.5)
    reward = _box(axes, Box("reward\n$\\bar R$", 0.75, 1.75, 1.0, fill=DATA))
    before = _box(axes, Box("value so far\n$\\bar V$", 0.75, 0.85, 1.0, fill=DATA))
    convolution = _box(axes, Box("convolution\none kernel pair\nfor each action", 2.75, 1.3, 1.4, 0.8))
    values = _box(axes, Box("$\\bar Q$\na channel\nfor each action", 4.5, 1.3, 1.15, 0.8, fill=DATA))
    maximum = _box(axes, Box("maximum over\nactions", 6.2, 1.3, 1.2, 0.6, fill=FIXED))
    _arrow(axes, reward.right, (convolution.left[0], 1.45))
    _arrow(axes, before.right, (convolution.left[0], 1.15))
    _arrow(axes, convolution.right, values.left)
    _arrow(axes, values.right, maximum.left)
    axes.plot(*zip(maximum.bottom, (6.2, 0.3), (0.75, 0.3), strict=True), color=style.INK, linewidth=1)
    _arrow(axes, (0.75, 0.3), before.bottom)
    axes.text(2.75, 1.78, "kernels: the transition $\\bar P$", ha="center", va="bottom", **_words())
    axes.text(3.5, 0.36, "new value: $K$ times", ha="center", va="bottom", **_words())
    return figure


def hierarchical_figure() -> Figure:
    """A hierarchical VIN: the value of a plan on a coarse map is a reward of the plan on the fine one."""
    figure, axes = _canvas(8.0, 2.9)
    observation = _box(axes, Box("observation", 0.75, 1.4, 1.1, fill=DATA))
    coarse = _box(axes, Box("pooled by 2", 2.3, 2.2, fill=FIXED))
    coarse_reward = _box(axes, Box("coarse\nreward", 3.75, 2.2, 1.0))
    coarse_plan = _box(axes, Box("planning module\n$K'$ backups", 5.3, 2.2, 1.35, fill=FIXED))
    reward = _box(axes, Box("fine reward", 2.3, 0.7))
    upsampled = _box(axes, Box("upsampled\nvalue", 5.3, 1.4, 1.1, fill=FIXED))
    plan = _box(axes, Box("planning module\n$K$ backups", 5.3, 0.6, 1.35, fill=FIXED))
    policy = _box(axes, Box("attention,\npolicy", 7.15, 0.6, 1.1))
    _arrow(axes, observation.right, coarse.left)
    _arrow(axes, observation.right, reward.left)
    _arrow(axes, coarse.right, coarse_reward.left)
    _arrow(axes, coarse_reward.right, coarse_plan.left)
    _arrow(axes, coarse_plan.bottom, upsampled.top)
    _arrow(axes, upsampled.bottom, plan.top)
    _arrow(axes, (reward.right[0], 0.6), plan.left)
    _arrow(axes, plan.right, policy.left)
    axes.text(6.0, 1.4, "one more\nreward channel", ha="left", va="center", **_words())
    _key(axes, 6.6, 1.95)
    return figure


def _canvas(width: float, height: float) -> tuple[Figure, Axes]:
    figure = style.new_figure(width, height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.set_axis_off()
    return figure, axes


def _box(axes: Axes, box: Box) -> Box:
    corner = (box.x - box.width / 2, box.y - box.height / 2)
    edge = (style.FRAME, "--") if box.fill == DATA else (style.INK, "-")
    look = {"boxstyle": "round,pad=0,rounding_size=0.06", "facecolor": box.fill, "linewidth": 0.9}
    patch = FancyBboxPatch(corner, box.width, box.height, **look, edgecolor=edge[0], linestyle=edge[1])
    axes.add_patch(patch)
    axes.text(box.x, box.y, box.text, ha="center", va="center", **_words())
    return box


def _arrow(axes: Axes, start: Point, end: Point, label: str = "") -> None:
    look = {"arrowstyle": "-|>", "mutation_scale": 9, "linewidth": 1, "shrinkA": 0, "shrinkB": 1}
    axes.add_patch(FancyArrowPatch(start, end, color=style.INK, **look))
    if label:
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        axes.text(middle[0], middle[1] + 0.06, label, ha="center", va="bottom", **_words())


def _key(axes: Axes, x: float, y: float) -> None:
    """What the fills mean."""
    for number, (fill, words) in enumerate(((LEARNED, "with weights"), (FIXED, "without weights"))):
        height = y - 0.22 * number
        look: dict[str, Any] = {"boxstyle": "square,pad=0", "facecolor": fill, "edgecolor": style.INK}
        axes.add_patch(FancyBboxPatch((x, height - 0.06), 0.2, 0.12, **look))
        axes.text(x + 0.28, height, words, ha="left", va="center", size=style.TICK_SIZE, color=style.INK)


def _words() -> dict[str, Any]:
    return {"size": style.LABEL_SIZE, "color": style.INK, "linespacing": 1.2}
