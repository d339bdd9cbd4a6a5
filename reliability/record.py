"""The record of a trial: its counts, with the commit, versions and machine."""

import os
import platform
from pathlib import Path
from typing import Any

from vinlab.recording.files import write_json
from vinlab.recording.provenance import package_versions, source_state


def write_record(path: Path, trial: str, found: dict[str, Any]) -> None:
    """Write what a trial found."""
    commit, clean = source_state()
    machine = {"platform": platform.platform(), "cores": os.cpu_count()}
    write_json(
        path,
        {
            "trial": trial,
            "found": found,
            "commit": commit,
            "clean": clean,
            "versions": package_versions(),
            **machine,
        },
    )
    print(f"Written to {path}.")
