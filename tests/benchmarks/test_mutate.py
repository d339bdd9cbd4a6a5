"""The trial with faults in the code: every fault differs from the code, has a name of its own, and knows its tests."""

import ast

import pytest

from call_map import PACKAGE, CallMap, stand_ins
from mutants import EQUIVALENT, KNOWN
from mutate import Mutant, known, mutants_of, sample

KERNELS = PACKAGE / "planning" / "fused" / "graded_repair.py"


@pytest.mark.parametrize("name", KNOWN)
def test_the_text_of_a_known_fault_stands_once_in_its_file_and_its_test_exists(name):
    fault = KNOWN[name]
    assert (PACKAGE / fault.file).read_text().count(fault.old) == 1
    file, _, test = fault.test.partition("::")
    assert f"def {test}(" in (PACKAGE.parents[1] / "tests" / file).read_text()


def test_faults_have_names_of_their_own_and_change_the_code():
    path = PACKAGE / "maps" / "transform.py"
    faults = list(mutants_of(path))
    assert len({fault.id for fault in faults}) == len(faults) > 20
    sound = ast.unparse(ast.parse(path.read_text()))
    assert all(fault.source() != sound for fault in faults)


def test_the_same_seed_chooses_the_same_faults():
    assert sample(5, 3) == sample(5, 3) != sample(5, 4)


def test_faults_without_effect_are_in_the_code():
    places = (
        {fault.id for path in PACKAGE.rglob("*.py") for fault in mutants_of(path)} if EQUIVALENT else set()
    )
    assert EQUIVALENT.keys() <= places


def test_a_compiled_function_is_tried_with_the_tests_of_its_callers():
    assert stand_ins("maps/transform.py", "Frame.to_cell") == {"maps/transform.py::Frame.to_cell"}
    assert stand_ins(str(KERNELS.relative_to(PACKAGE)), "repair_grid") == {
        "planning/replanning.py::CostField._repair"
    }


def test_the_map_gives_passing_tests_that_call_a_function(tmp_path):
    tests = CallMap(tmp_path / "none.json")
    tests.files["tests/a.py"] = {
        "shared": ["maps/read.py::shared"],
        "tests": {
            "a::one": {"calls": ["maps/read.py::read"], "seconds": 0.1, "passed": True},
            "a::two": {"calls": [], "seconds": 0.2, "passed": True},
            "a::bad": {"calls": ["maps/read.py::read"], "seconds": 0.1, "passed": False},
        },
    }
    assert tests.tests_of({"maps/read.py::read"}) == [("a::one", 0.1)]
    assert tests.tests_of({"maps/read.py::shared"}) == [("a::one", 0.1), ("a::two", 0.2)]


def test_a_known_fault_brings_its_own_text():
    assert all(isinstance(fault, Mutant) and fault.source() == fault.text for fault in known())
