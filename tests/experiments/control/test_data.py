"""The sets share no domain."""

import numpy as np

from vinlab.experiments.control.data import (
    TEST_STREAMS,
    TRAINING_STREAM,
    VALIDATION_STREAM,
    ControlData,
    make_problems,
)


def test_the_three_sets_share_no_domain():
    data = ControlData()
    streams = (TEST_STREAMS[data.test_draw], VALIDATION_STREAM, TRAINING_STREAM)
    sets = [make_problems(data, stream, 30) for stream in streams]
    sets.append(make_problems(data, TRAINING_STREAM, 30, seed=1))
    goals = np.concatenate([problems.goals for problems in sets])
    assert len(np.unique(goals, axis=0)) == 120


def test_every_draw_of_test_domains_is_another():
    assert len({*TEST_STREAMS.values(), VALIDATION_STREAM, TRAINING_STREAM}) == len(TEST_STREAMS) + 2
    assert ControlData().test_draw == max(TEST_STREAMS)
