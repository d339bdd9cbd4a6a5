"""The arena: every benchmark with the networks that are compared on it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from vinlab.experiments.arena.data import ArenaData, MazeSet
from vinlab.experiments.base import Budget, Setting, by_id
from vinlab.learners.imitation import ImitationConfig, one_cycle
from vinlab.networks.configs import NetworkConfig
from vinlab.networks.grid.motion_vin import MotionVinConfig
from vinlab.networks.literature.dense import PlainVinConfig
from vinlab.networks.literature.dynamic import DynamicTransitionVinConfig
from vinlab.networks.literature.equivariant import EquivariantVinConfig
from vinlab.networks.literature.gated import GatedPlannerConfig
from vinlab.networks.literature.implicit import ImplicitVinConfig
from vinlab.networks.literature.propagation import ValuePropagationConfig
from vinlab.networks.literature.resnets import ReactiveResNetConfig, RecurrentResNetConfig

LossName = Literal["imitation", "scaled", "deep"]
"""Imitation at the policy's own temperature, at several, so that walls cost more than any detour, or at several depths
of the plan."""


@dataclass(frozen=True)
class ArenaTraining:
    """The configuration of a run."""

    network: NetworkConfig
    data: ArenaData
    learning: ImitationConfig
    loss: LossName = "imitation"


def gppn(size: int, motion: str, maps: int) -> ArenaData:
    """The mazes of Gated Path Planning Networks."""
    return ArenaData(
        motion,
        training=(MazeSet("gppn", size, maps),),
        validation=(MazeSet("gppn", size, 500),),
        test=(MazeSet("gppn", size, 2000 if size < 20 else 500),),
        size=size,
    )


BENCHMARKS: dict[str, ArenaData] = {
    "gppn-15": gppn(15, "four", 10_000),
    "gppn-28": gppn(28, "four", 1000),
    "gppn-28-eight": gppn(28, "eight", 1000),
    "gppn-28-differential": gppn(28, "differential", 1000),
    "maze-hard": ArenaData(
        "four",
        training=(MazeSet("hard", 30, 1000),),
        validation=(MazeSet("hard", 30, 200),),
        test=(MazeSet("hard", 30, 500),),
        size=30,
        targets="label",
    ),
    "perfect-101": ArenaData(
        "four",
        training=(MazeSet("perfect", 31, 100), MazeSet("perfect", 101, 20)),
        validation=(MazeSet("perfect", 101, 10),),
        test=(MazeSet("perfect", 101, 200),),
        size=101,
    ),
    "mazes-9": ArenaData(
        "four",
        training=(MazeSet("perfect", 9, 1000),),
        validation=(MazeSet("perfect", 9, 200),),
        test=(
            *(MazeSet("perfect", size, 100) for size in (9, 59)),
            MazeSet("perfect", 201, 20),
            MazeSet("perfect", 801, 2),
        ),
        size=9,
    ),
}
"""What each benchmark trains, validates and tests on."""

Configure = Callable[[Budget], ArenaTraining]


@dataclass(frozen=True)
class Rival:
    """A network of the literature, with what it is trained by on 10,000 mazes of 15 x 15."""

    about: str
    network: NetworkConfig
    epochs: int
    rate: float = 1e-2
    loss: LossName = "imitation"
    batch: int = 32


def rival(benchmark: str, one: Rival, *, maps: int | None = None, epochs: int | None = None) -> Configure:
    """A network of the literature, on the benchmark's own number of maps or on fewer."""

    def configure(budget: Budget) -> ArenaTraining:
        data = BENCHMARKS[benchmark]
        if maps is not None:
            data = replace(data, training=tuple(replace(part, maps=maps) for part in data.training))
        most = epochs or one.epochs
        trained: dict[Budget, int] = {"smoke": 1, "small": max(1, most // 2), "paper": most}
        return ArenaTraining(
            network=one.network,
            data=_for_budget(data, budget),
            learning=one_cycle(trained[budget], one.rate, batch=one.batch),
            loss=one.loss,
        )

    return configure


def best(benchmark: str, *, maps: int | None = None, epochs: int = 4, batch: int = 16) -> Configure:
    """A VIN that learns the price of each cell and plans to the fixed point."""
    motion, labels = BENCHMARKS[benchmark].motion, BENCHMARKS[benchmark].targets == "label"
    loss = "imitation" if labels else "scaled"
    ours = Rival("our best", MotionVinConfig(motion, preference=labels), epochs, 2e-2, loss, batch)
    return rival(benchmark, ours, maps=maps)


RIVALS: dict[str, Rival] = {
    "vin": Rival("the paper's VIN", PlainVinConfig(), 10),
    "gated": Rival("the gated planner (GPPN)", GatedPlannerConfig(hidden=48), 12, 3e-3, batch=8),
    "dynamic": Rival(
        "transitions of the cell, deep supervision (DT-VIN)",
        DynamicTransitionVinConfig(),
        12,
        loss="deep",
        batch=8,
    ),
    "vprop": Rival(
        "value propagation (VProp)", ValuePropagationConfig(rule="vprop", iterations=60), 2, batch=16
    ),
    "mvprop": Rival("max-propagation (MVProp)", ValuePropagationConfig(rule="mvprop", iterations=60), 8),
    "implicit": Rival("implicit differentiation (ID-VIN)", ImplicitVinConfig(), 6, batch=16),
    "equivariant": Rival("kernels tied by symmetry (SymVIN)", EquivariantVinConfig(iterations=60), 10, 3e-2),
    "reactive": Rival("a reactive residual network", ReactiveResNetConfig(hidden=32), 8, 2e-3, batch=8),
    "recurrent": Rival(
        "a recurrent residual network with recall", RecurrentResNetConfig(hidden=24), 1, 2e-3, batch=8
    ),
}
"""Networks of the literature; each but the gated planner trains within a few minutes on one core."""

FEWER_MAPS = (("1k", "1,000", 1000, 40), ("100", "100", 100, 150))
"""Suffix, words, training maps and epochs of the settings that show how a network learns from fewer maps."""

SCARCE = ("vin", "gated", "dynamic", "mvprop", "equivariant", "reactive")
"""The rivals that are also trained on fewer maps."""


def _for_budget(data: ArenaData, budget: Budget) -> ArenaData:
    """The same mazes; for a look at whether everything runs, a few of the small ones."""
    if budget != "smoke":
        return data
    smallest = min(part.size for part in data.training)

    def few(parts: tuple[MazeSet, ...], maps: int) -> tuple[MazeSet, ...]:
        small = [part for part in parts if part.size <= max(smallest, 60)]
        # Where all mazes are large, a few of the smallest stay.
        kept = small or [min(parts, key=lambda part: part.size)]
        return tuple(replace(part, maps=min(part.maps, maps)) for part in kept)

    return replace(
        data, training=few(data.training, 40), validation=few(data.validation, 4), test=few(data.test, 4)
    )


def _setting(
    benchmark: str, network: str, about: str, configure: Configure, *, control: bool = False
) -> Setting[ArenaTraining]:
    id = f"arena/{benchmark}/{network}"
    return Setting(id, about, lambda budget, recipe: configure(budget), ("default",), control)


def _ours(benchmark: str, about: str, **options: int) -> Setting[ArenaTraining]:
    return _setting(benchmark, "best", f"{about}: our best", best(benchmark, **options))


SETTINGS = by_id(
    [
        _ours("gppn-15", "GPPN's mazes 15 × 15, four moves", epochs=2, batch=32),
        *(
            _setting("gppn-15", name, f"GPPN's mazes 15 × 15, four moves: {one.about}", rival("gppn-15", one))
            for name, one in RIVALS.items()
        ),
        _setting("gppn-15", "best-1k", "our best, from 1,000 maps", best("gppn-15", maps=1000, epochs=6)),
        _setting(
            "gppn-15", "best-100", "our best, from 100 maps", best("gppn-15", maps=100, epochs=30, batch=8)
        ),
        *(
            _setting(
                "gppn-15",
                f"{name}-{suffix}",
                f"{RIVALS[name].about}, from {words} maps",
                rival("gppn-15", RIVALS[name], maps=maps, epochs=epochs),
                control=True,
            )
            for name in SCARCE
            for suffix, words, maps, epochs in FEWER_MAPS
        ),
        _ours("gppn-28", "GPPN's mazes 28 × 28, four moves"),
        _ours("gppn-28-eight", "GPPN's mazes 28 × 28, eight moves"),
        _ours("gppn-28-differential", "GPPN's mazes 28 × 28, differential drive"),
        _ours("maze-hard", "a twin of Maze-Hard 30 × 30", epochs=8),
        _ours("perfect-101", "perfect mazes 101 × 101", epochs=8, batch=4),
        _ours("mazes-9", "trained on 9 × 9, tested up to 801 × 801", epochs=8),
    ]
)
