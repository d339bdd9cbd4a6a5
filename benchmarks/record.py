"""Record the output of a benchmark with the commit, versions and machine it was measured on.

``python benchmarks/record.py serve -- --minutes 5`` runs ``benchmarks/serve.py --minutes 5`` and writes
``results/benchmarks/serve.json``.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from vinlab.recording.files import write_json
from vinlab.recording.provenance import package_versions, source_state

HERE = Path(__file__).parent


def measured(name: str, options: list[str]) -> list[Any]:
    """The JSON lines that a benchmark prints."""
    command = [sys.executable, str(HERE / f"{name}.py"), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith(("{", "["))]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("record", "soak_page"))
    parser.add_argument("name", choices=known)
    parser.add_argument("options", nargs="*", help="options of the benchmark, after --")
    options = parser.parse_args()
    load_before = round(os.getloadavg()[0], 2)
    found = measured(options.name, options.options)
    name = " ".join([f"benchmarks/{options.name}.py", *options.options])
    out = HERE.parent / "results" / "benchmarks" / f"{options.name}.json"
    write_record(out, name, found[0] if len(found) == 1 else found, load_before)


def write_record(out: Path, name: str, found: Any, load_before: float) -> None:
    """Write what was measured, with what it was measured on."""
    commit, clean = source_state()
    record = {
        "benchmark": name,
        "measured": found,
        "commit": commit,
        "clean": clean,
        "versions": package_versions(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "load_average_before": load_before,
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    write_json(out, record)
    print(f"Written to {out}.")


if __name__ == "__main__":
    main()
