"""The trial with faults in the code: every fault differs from the code, has a name of its own, and knows its tests."""

import ast
import json
import os
import subprocess
import sys

import pytest

from call_map import PACKAGE, CallMap, stand_ins
from mutants import EQUIVALENT, KNOWN
from mutate import Laboratory, Mutant, judged, known, mutants_of, sample

KERNELS = PACKAGE / "planning" / "fused" / "graded_repair.py"


@pytest.mark.parametrize("name", KNOWN)
def test_the_text_of_a_known_fault_stands_once_in_its_file_and_its_test_exists(name):
    fault = KNOWN[name]
    assert (PACKAGE / fault.file).read_text(encoding="utf-8").count(fault.old) == 1
    file, _, test = fault.test.partition("::")
    assert f"def {test}(" in (PACKAGE.parents[1] / "tests" / file).read_text(encoding="utf-8")


def test_faults_have_names_of_their_own_and_change_the_code():
    path = PACKAGE / "maps" / "transform.py"
    faults = list(mutants_of(path))
    assert len({fault.id for fault in faults}) == len(faults) > 20
    sound = ast.unparse(ast.parse(path.read_text(encoding="utf-8")))
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


def test_calls_are_noted_after_a_test_at_the_end_of_the_stack(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "deep.py").write_text(
        "def deeper(n=0):\n    return deeper(n + 1)\n\ndef called():\n    pass\n"
    )
    (tmp_path / "test_it.py").write_text(
        "import sys\nimport pytest\nsys.path.insert(0, 'package')\nimport deep\n"
        "def test_deep():\n    with pytest.raises(RecursionError):\n        deep.deeper()\n"
        "def test_called():\n    deep.called()\n"
    )
    program = (
        "import json, sys, pytest\nfrom pathlib import Path\nfrom call_map import Tracer\n"
        "tracer = Tracer(Path('package').resolve())\ntracer.start()\n"
        "pytest.main(['-q', '-p', 'no:cacheprovider', 'test_it.py'], plugins=[tracer])\nsys.settrace(None)\n"
        "Path('calls.json').write_text(json.dumps(tracer.tests))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parents[1] / "benchmarks")}
    subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True, capture_output=True
    )
    found = json.loads((tmp_path / "calls.json").read_text(encoding="utf-8"))
    assert found["test_it.py::test_called"]["calls"] == ["deep.py::called"]


def test_a_known_fault_brings_its_own_text():
    assert all(isinstance(fault, Mutant) and fault.source() == fault.text for fault in known())


def test_a_killed_trial_leaves_nothing_of_its_fault_behind(tmp_path):
    fault = next(mutants_of(KERNELS))
    sound = (PACKAGE / fault.file).read_text(encoding="utf-8")
    laboratory = Laboratory(tmp_path)
    changed = laboratory.copy / "vinlab" / fault.file

    def die_in_the_middle():
        with laboratory._fault(fault):
            (changed.parent / "__pycache__").mkdir(exist_ok=True)
            (changed.parent / "__pycache__" / "another_file.function-1.py311.nbi").write_text(
                "with the fault"
            )
            os._exit(0)

    laboratory.child(die_in_the_middle, 20.0)
    assert changed.read_text(encoding="utf-8") != sound
    Laboratory(tmp_path)
    assert changed.read_text(encoding="utf-8") == sound == (PACKAGE / fault.file).read_text(encoding="utf-8")
    assert not list(laboratory.copy.rglob("*.nbi"))


def test_survivors_with_a_reason_are_listed_apart_and_the_others_stay():
    name = next(iter(EQUIVALENT))
    file, function, change = name.split("::")
    alike = {"file": file, "function": function, "kind": "constant", "change": change}
    other = {"file": "maps/read.py", "function": "read_map", "kind": "truth", "change": "a with Or"}
    found = judged(
        {
            "tried": 8,
            "caught": 6,
            "survivors": [alike, other],
            "equivalent": {},
            "by_kind": {"constant": {"tried": 5, "survived": 1}, "truth": {"tried": 3, "survived": 1}},
            "share_survived": 0.25,
        }
    )
    assert found == {
        "tried": 8,
        "caught": 6,
        "survivors": [other],
        "equivalent": {name: EQUIVALENT[name]},
        "by_kind": {"constant": {"tried": 5, "survived": 0}, "truth": {"tried": 3, "survived": 1}},
        "share_survived": 0.125,
    }
