"""When the level of the curriculum rises."""

import math

import pytest

from vinlab.learners.trpo.curriculum import Curriculum, CurriculumConfig, PatientRule, ReturnRule
from vinlab.types import InputError


def test_the_papers_rule_asks_for_more_than_one_minus_a_thirty_fifth_of_the_level():
    curriculum = Curriculum(CurriculumConfig(last=5))
    assert not curriculum.advance(1 - 1 / 35)
    assert curriculum.advance(1 - 1 / 35 + 1e-9)
    assert curriculum.level == 2
    assert not curriculum.advance(1 - 2 / 35 - 1e-9)
    assert curriculum.level == 2


def test_the_last_level_is_the_last():
    curriculum = Curriculum(CurriculumConfig(first=2, last=3))
    assert [curriculum.advance(1.0) for _ in range(3)] == [True, False, False]
    assert curriculum.level == 3


def test_a_return_that_is_not_a_number_keeps_the_level():
    assert not Curriculum(CurriculumConfig(last=5)).advance(math.nan)


def test_patience_runs_out():
    curriculum = Curriculum(CurriculumConfig(last=9, rule=PatientRule(patience=3)))
    assert [curriculum.advance(0.0) for _ in range(7)] == [False, False, True, False, False, True, False]


def test_any_rule_will_do():
    class Always(ReturnRule):
        def is_met(self, level, mean_return, iterations):
            return True

    curriculum = Curriculum(CurriculumConfig(last=4, rule=Always()))
    assert [curriculum.advance(-1.0) for _ in range(4)] == [True, True, True, False]


def test_a_level_comes_back_from_its_state():
    before, after = Curriculum(CurriculumConfig(last=9)), Curriculum(CurriculumConfig(last=9))
    for gained in (1.0, 1.0, 0.0):
        before.advance(gained)
    after.restore(before.state())
    assert (after.level, after.iterations) == (3, 1)


def test_levels_that_make_no_sense_are_refused():
    with pytest.raises(InputError, match="first"):
        CurriculumConfig(first=5, last=4)


def test_a_curriculum_continues_where_it_was_and_at_its_very_beginning():
    for state in ({"level": 3, "iterations": 2}, {"level": 1, "iterations": 0}):
        curriculum = Curriculum(CurriculumConfig(last=5))
        curriculum.restore(state)
        assert (curriculum.level, curriculum.iterations) == (state["level"], state["iterations"])
