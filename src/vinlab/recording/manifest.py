"""The manifest of a run: all that is needed to repeat it, and its duration."""

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from vinlab.recording.json_files import read_json_object
from vinlab.recording.provenance import package_versions, source_state
from vinlab.recording.serialization import dataclass_from_plain, standard_json, to_plain
from vinlab.types import InputError


@dataclass(frozen=True)
class Manifest:
    """The setting, configuration, source and machine of a run."""

    id: str
    """The id of the setting."""
    budget: str
    recipe: str
    seed: int
    config: dict[str, Any]
    """The whole configuration as plain data; the network is rebuilt from it."""
    commit: str | None
    """The commit of the source; None outside a checkout."""
    clean: bool | None
    """Whether the source was unchanged since that commit."""
    versions: dict[str, str]
    platform: str
    device: str
    threads: int
    data_hash: str
    started: str
    """The time of the start, UTC, ISO 8601."""
    world_size: int = 1
    """The number of processes."""
    continued_by: list[str] = field(default_factory=list)
    """Other commits that continued the run after it was killed."""
    seconds: float | None = None
    """The duration of all parts of the run; None until it is finished."""
    changes: list[str] = field(default_factory=list)
    """What differed when the run was resumed, as was asked for, and which of its files were repaired."""

    @property
    def source(self) -> str | None:
        """The name of the real data that the run was trained on, if it was."""
        name = self.config.get("data", {}).get("source")
        return None if name in GENERATED else name

    @property
    def overrides(self) -> dict[str, Any]:
        """The fields of the setting's configuration that were changed for this run."""
        return self.config.get("overrides", {})


GENERATED = (None, "generated", "synthetic")
"""The sources of data that need no folder; the earliest runs named none."""

SAME_RUN = ("id", "budget", "recipe", "seed", "config", "data_hash", "world_size")
"""The fields that determine what a run computes; a run is resumed only if they are the same."""

SAME_NUMBERS = ("threads", "versions", "device")
"""The fields that can change the last digits of what a run computes; it is resumed with others only if asked to."""


def describe_run(
    *,
    id: str,
    budget: str,
    recipe: str,
    seed: int,
    config: Any,
    data_hash: str,
    device: str | torch.device = "cpu",
    world_size: int = 1,
) -> Manifest:
    """The manifest of a run that starts now; the configuration is a dataclass or a dict."""
    plain = to_plain(config)
    if standard_json(plain) != plain:
        raise InputError("configuration: expected finite numbers, got nan or inf; use None for no limit.")
    commit, clean = source_state()
    return Manifest(
        id=id,
        budget=budget,
        recipe=recipe,
        seed=seed,
        config=plain,
        commit=commit,
        clean=clean,
        versions=package_versions(),
        platform=platform.platform(),
        device=str(device),
        threads=torch.get_num_threads(),
        data_hash=data_hash,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        world_size=world_size,
    )


def read_manifest(path: Path) -> Manifest:
    """The manifest that a file holds, every field checked."""
    record = read_json_object(path)
    needed = (field.name for field in fields(Manifest) if field.name != "changes")  # older manifests lack it
    missing = [name for name in needed if name not in record]
    if missing:
        raise InputError(f"{path}: expected a manifest, got one without {', '.join(missing)}.")
    return dataclass_from_plain(Manifest, record, name=f"{path}: manifest")


def setting_of(manifest: Manifest) -> dict[str, Any]:
    """What determines the numbers of a run, as plain data."""
    return {name: getattr(manifest, name) for name in SAME_RUN}


def differences(recorded: Manifest, wanted: Manifest, names: Sequence[str] = SAME_RUN) -> list[str]:
    """The fields in which the two runs differ, each as ``name (recorded, now)``."""
    pairs = ((name, getattr(recorded, name), getattr(wanted, name)) for name in names)
    return [difference for pair in pairs for difference in _compare(*pair)]


def _compare(name: str, recorded: Any, wanted: Any) -> Iterator[str]:
    """The differences, down to the single field."""
    if isinstance(recorded, dict) and isinstance(wanted, dict):
        for key in sorted(recorded.keys() | wanted.keys()):
            yield from _compare(f"{name}.{key}", recorded.get(key), wanted.get(key))
    elif recorded != wanted:
        yield f"{name} (recorded {recorded!r}, now {wanted!r})"
