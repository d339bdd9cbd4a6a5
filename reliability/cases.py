"""What a trial with a hostile input is: the files it needs, what is done with them, and what must not come out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class SilentDifference(Exception):
    """A damaged input was accepted and gave another result than the sound one."""


def nothing(folder: Path) -> None:
    """A case without files."""


@dataclass(frozen=True)
class Case:
    """One trial: it must end in a result or in one sentence."""

    group: str
    """The reader, command or request."""
    name: str
    """The kind of hostility, and the seed within it."""
    act: Callable[[Path], Any]
    """Called in a folder of its own; raises InputError, or SystemExit for a command."""
    write: Callable[[Path], Any] = nothing
    """Makes the files in that folder."""
    check: Callable[[Any], None] | None = None
    """Raises SilentDifference for a wrong result of ``act``."""


def command(*arguments: str) -> Callable[[Path], Any]:
    """A call of the command line in the folder; ``{}`` in an argument stands for the folder."""

    def act(folder: Path) -> None:
        from vinlab.cli import main

        main([argument.replace("{}", str(folder)) for argument in arguments])

    return act
