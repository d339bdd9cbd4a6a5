"""How long commands take to start, in processor seconds of processes of their own.

``python benchmarks/start.py`` prints one JSON object: for ``vinlab --help``, ``--version``, ``plan`` on a small image
with a figure and with ``--json``, and for ``import torch`` alone, which no plan can do without, the least of several
runs. Bytecode and compiled kernels are in their caches, as they are after the first use.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from vinlab.cli.data_gallery import write_gallery

REPEATS = 5
PLAN = ("-m", "vinlab", "plan", "maps/offices.png", "--start", "39,46", "--goal", "1,2")
COMMANDS = {
    "--help": ("-m", "vinlab", "--help"),
    "--version": ("-m", "vinlab", "--version"),
    "plan": PLAN,
    "plan --json": (*PLAN, "--json"),
    "import torch": ("-c", "import torch"),
}


def seconds(command: tuple[str, ...], folder: Path) -> float:
    """Of the processor, user and system, for one run."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=folder, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_gallery(folder / "maps")
        seconds(PLAN, folder)  # compiles and caches what is not yet
        found = {
            name: round(min(seconds(command, folder) for _ in range(REPEATS)), 2)
            for name, command in COMMANDS.items()
        }
    print(json.dumps({"cpu_seconds": found}))


if __name__ == "__main__":
    main()
