"""How a run left the levels of its curriculum."""

from vinlab.experiments.rl.levels import LevelsPassed, count_levels, levels_passed, world_steps
from vinlab.learners.trpo.curriculum import ReturnRule


def lines(*passed: tuple[int, float]) -> list[dict[str, float]]:
    return [{"level": level, "mean_return": reached} for level, reached in passed]


def test_a_level_is_left_by_its_last_return_or_by_patience():
    rule = ReturnRule(scale=10.0)
    metrics = lines((1, 0.2), (1, 0.95), (2, 0.9), (3, 0.1), (3, 0.1), (4, 0.9))
    assert count_levels(metrics, rule) == LevelsPassed(last=4, by_return=2, by_patience=1)


def test_the_last_level_is_not_left():
    assert count_levels(lines((1, 1.0), (1, 1.0)), ReturnRule()) == LevelsPassed(1, 0, 0)


def test_a_run_tells_its_levels_and_steps(rl_runs):
    vin, _, without = rl_runs
    assert levels_passed(vin).last == vin.metrics()[-1]["level"]
    assert levels_passed(without) == LevelsPassed(last=12, by_return=0, by_patience=0)
    assert world_steps(vin) == sum(line["steps"] for line in vin.metrics())
