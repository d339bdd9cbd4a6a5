"""A sample of the hostile inputs that ``make fuzz`` tries at length, and what the harness itself calls bad."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reliability.cases import Case, SilentDifference
from reliability.sandbox import run_cases
from vinlab.types import InputError

ROOT = Path(__file__).parents[2]


def test_a_sample_of_hostile_inputs_ends_in_results_or_sentences():
    command = [sys.executable, "-W", "ignore", "-m", "reliability.fuzz", "--sample", "60"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "0 traceback, 0 hang, 0 out of memory, 0 silent difference" in done.stdout


def refuse(folder: Path) -> None:
    raise InputError("expected a map, got none.")


def differ(result: object) -> None:
    raise SilentDifference("other")


def fill_memory(folder: Path) -> None:
    bytearray(3 * 2**30)


BEHAVIOUR = {
    "accepted": Case("", "", lambda folder: 1),
    "refused": Case("", "", refuse),
    "traceback": Case("", "", lambda folder: {}["nothing"]),
    "hang": Case("", "", lambda folder: time.sleep(60)),
    "out of memory": Case("", "", fill_memory),
    "silent difference": Case("", "", lambda folder: 1, check=differ),
}


@pytest.mark.parametrize("kind", BEHAVIOUR)
def test_the_harness_tells_good_from_bad(kind):
    (outcome,) = run_cases([BEHAVIOUR[kind]], jobs=1, memory=2 * 2**30, seconds=0.2)
    assert outcome.kind == kind
