import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from vinlab.recording.files import write_json
from vinlab.recording.manifest import Manifest, describe_run, differences, read_manifest
from vinlab.types import InputError


@dataclass(frozen=True)
class Config:
    iterations: int = 10
    rates: tuple[float, ...] = (0.01, 0.005)
    clip: float | None = None


def a_manifest(**changes: Any) -> Manifest:
    settings = {"id": "gridworld/8/vin", "budget": "smoke", "recipe": "default", "seed": 0, "data_hash": "ab"}
    return describe_run(**{**settings, "config": Config(), **changes})


def test_a_manifest_says_when_and_with_what() -> None:
    manifest = a_manifest(world_size=2)
    assert manifest.config == {"iterations": 10, "rates": [0.01, 0.005], "clip": None}
    assert datetime.fromisoformat(manifest.started).utcoffset() == timedelta(0)
    assert {"python", "torch", "numpy"} <= manifest.versions.keys()
    assert (manifest.device, manifest.world_size, manifest.seconds) == ("cpu", 2, None)
    assert manifest.threads >= 1


def test_a_manifest_comes_back_as_it_was(tmp_path: Path) -> None:
    manifest = replace(a_manifest(config={"depth": 3}), seconds=1.5, continued_by=["c0ffee"])
    write_json(tmp_path / "m", manifest)
    assert read_manifest(tmp_path / "m") == manifest


def test_only_what_settles_the_result_makes_another_run(tmp_path: Path) -> None:
    here = a_manifest()
    elsewhere = replace(here, platform="other", started="2020-01-01T00:00:00+00:00", threads=9, versions={})
    assert differences(here, elsewhere) == []
    assert differences(here, a_manifest(seed=1)) == ["seed (recorded 0, now 1)"]
    deeper = a_manifest(config=Config(iterations=20))
    assert differences(here, deeper) == ["config.iterations (recorded 10, now 20)"]
    write_json(tmp_path / "m", here)
    assert differences(read_manifest(tmp_path / "m"), here) == []


def test_a_configuration_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match="expected finite numbers, got nan or inf"):
        a_manifest(config=Config(clip=float("inf")))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seed": "0"}, r"manifest\.seed: expected int, got '0'"),
        ({"seed": True}, r"manifest\.seed: expected int, got True"),
        ({"commit": 3}, r"manifest\.commit: expected str, got 3"),
        ({"config": []}, r"manifest\.config: expected dict, got \[\]"),
        ({"mood": "good"}, r"manifest: expected the fields of Manifest .*, got mood"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    write_json(tmp_path / "m", a_manifest())
    record = json.loads((tmp_path / "m").read_text(encoding="utf-8"))
    (tmp_path / "m").write_text(json.dumps(record | change))
    with pytest.raises(InputError, match=sentence):
        read_manifest(tmp_path / "m")


def test_missing_fields_are_named(tmp_path: Path) -> None:
    (tmp_path / "m").write_text('{"id": "gridworld/8/vin", "budget": "smoke"}')
    with pytest.raises(InputError, match="expected a manifest, got one without recipe, seed, config"):
        read_manifest(tmp_path / "m")
