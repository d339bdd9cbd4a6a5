"""The names of the package, and those of version 0.1 that still work."""

import pytest

import vinlab


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CostReward", "ExpCostReward"),
        ("GivenTransition", "FixedTransition"),
        ("LosslessTransition", "SoftmaxTransition"),
        ("SharpPolicy", "TemperaturePolicy"),
        ("as_guess", "coarse_as_initial_value"),
        ("as_reward", "coarse_as_reward"),
        ("sure_moves", "move_logits"),
    ],
)
def test_an_old_name_warns_and_gives_the_new_one(old, new):
    with pytest.warns(DeprecationWarning, match=f"vinlab.{old} is now vinlab.{new}"):
        assert getattr(vinlab, old) is getattr(vinlab, new)
    assert old not in vinlab.__all__


def test_every_part_is_offered():
    from vinlab import modules

    assert {name for name in modules.__all__ if name != "exit_cost_logits"} <= set(vinlab.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        vinlab.nothing  # noqa: B018
