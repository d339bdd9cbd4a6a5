"""The three sets share no domain."""

import numpy as np

from vinlab.experiments.control.data import (
    TEST_STREAM,
    TRAINING_STREAM,
    VALIDATION_STREAM,
    ControlData,
    make_problems,
)


def test_the_three_sets_share_no_domain():
    data = ControlData()
    sets = [make_problems(data, stream, 30) for stream in (TEST_STREAM, VALIDATION_STREAM, TRAINING_STREAM)]
    sets.append(make_problems(data, TRAINING_STREAM, 30, seed=1))
    goals = np.concatenate([problems.goals for problems in sets])
    assert len(np.unique(goals, axis=0)) == 120
