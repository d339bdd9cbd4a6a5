"""The manifest of a run: everything that is needed to make it again, and how long it took."""

import platform
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from vinlab.recording.files import read_json_object, write_json
from vinlab.recording.provenance import package_versions, source_state
from vinlab.recording.serialization import dataclass_from_plain, standard_json, to_plain
from vinlab.types import InputError


@dataclass(frozen=True)
class Manifest:
    """What was run, with which source, on which machine."""

    id: str
    """The setting, such as ``gridworld/16/vin``."""
    budget: str
    recipe: str
    seed: int
    config: dict[str, Any]
    """The whole configuration as plain data; it rebuilds the network."""
    commit: str | None
    """The commit of the source; None where the package is not in a checkout."""
    clean: bool | None
    """Whether the source was unchanged since that commit."""
    versions: dict[str, str]
    platform: str
    device: str
    threads: int
    data_hash: str
    started: str
    """The moment of the start, UTC, ISO 8601."""
    world_size: int = 1
    """How many processes trained together."""
    continued_by: list[str] = field(default_factory=list)
    """The commits that continued the run after it was killed, where they are others than the first."""
    seconds: float | None = None
    """How long the run took, all its parts together; None until it is finished."""


SAME_RUN = ("id", "budget", "recipe", "seed", "config", "data_hash", "world_size")
"""The fields that settle what a run computes; a run is resumed only under the same ones."""


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
    """The manifest of a run that starts here and now; the configuration is a dataclass or a dict."""
    commit, clean = source_state()
    return Manifest(
        id=id,
        budget=budget,
        recipe=recipe,
        seed=seed,
        config=_plain_config(config),
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


def _plain_config(config: Any) -> dict[str, Any]:
    plain = to_plain(config)
    if standard_json(plain) != plain:
        raise InputError("A configuration must hold finite numbers alone: None says that there is no limit.")
    return plain


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Put the manifest on disk as JSON."""
    write_json(path, manifest)


def read_manifest(path: Path) -> Manifest:
    """The manifest that a file holds, every field checked."""
    record = read_json_object(path)
    missing = [field.name for field in fields(Manifest) if field.name not in record]
    if missing:
        raise InputError(f"{path} is not a manifest: expected the fields {', '.join(missing)} too.")
    return dataclass_from_plain(Manifest, record, name=f"{path} is not a manifest: it")


def differences(recorded: Manifest, wanted: Manifest) -> list[str]:
    """What keeps the two from being the same run, each as ``name (recorded, wanted)``."""
    found: list[str] = []
    for name in SAME_RUN:
        _compare(name, getattr(recorded, name), getattr(wanted, name), found)
    return found


def _compare(name: str, recorded: Any, wanted: Any, found: list[str]) -> None:
    """Add to the list where the two differ, down to the single setting."""
    if isinstance(recorded, dict) and isinstance(wanted, dict):
        for key in sorted(recorded.keys() | wanted.keys()):
            _compare(f"{name}.{key}", recorded.get(key), wanted.get(key), found)
    elif recorded != wanted:
        found.append(f"{name} ({recorded!r} there, {wanted!r} now)")
