"""``vinlab list``."""

import shutil
import sys
from itertools import groupby

from vinlab.experiments.catalogue import CatalogueEntry, read_catalogue
from vinlab.models import shipped_ids


def list_settings(all: bool = False) -> None:
    """List the settings by experiment, and which have shipped weights.

    Args:
        all: List controls and ablations too.
    """
    entries = read_catalogue()
    shown = {id: entry for id, entry in entries.items() if all or not entry.control}
    print("\n".join(catalogue_lines(shown, set(shipped_ids()))))
    print("\n* weights are shipped: vinlab evaluate ID, vinlab plot ID, vinlab show ID --card")
    if len(shown) < len(entries):
        print(f"{len(entries) - len(shown)} controls and ablations more: vinlab list --all")


def catalogue_lines(entries: dict[str, CatalogueEntry], shipped: set[str]) -> list[str]:
    """A heading for each experiment and a line for each of its settings.

    On a terminal a line is cut to its width, but never without its id.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    longest = max(map(len, entries), default=0)
    lines = []
    for (name, paper), members in groupby(entries.items(), lambda item: (item[1].experiment, item[1].paper)):
        lines += ["", f"{name} ({paper})"]
        for id, entry in members:
            line = f"  {id:{longest}} {'*' if id in shipped else ' '} {entry.about}"
            if width is not None and len(line) > width:
                line = f"{line[: max(width - 1, longest + 4)]}…"
            lines.append(line)
    return lines[1:]
