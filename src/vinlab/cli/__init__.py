"""The ``vinlab`` command: finds the chosen command, parses its options and calls it.

The module of a command is imported when the command is chosen, so that ``vinlab --help`` answers at once.
"""

import difflib
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Command:
    """A command, by the function whose signature and docstring are its options and help."""

    function: str
    """``module:function`` in ``vinlab.cli``."""
    about: str
    """One line for ``vinlab --help``."""
    resumes: bool = False
    """Whether ``--resume`` continues it after an interruption."""
    compiles: bool = False
    """Whether it may compile kernels when they are used for the first time."""

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        module, name = self.function.split(":")
        return getattr(import_module(f"vinlab.cli.{module}"), name)


HELP = {"-h", "--help"}
LONGEST = 800
"""Letters of a sentence about an error."""

COMMANDS = {
    "list": Command("catalogue:list_settings", "List the settings, and which have shipped weights."),
    "show": Command(
        "show:show", "Show the whole configuration of a setting, a finished run, or a model's card."
    ),
    "data": Command("data:data", "Generate problems, or cut them from terrain images, into a file."),
    "train": Command(
        "train:train",
        "Train a setting from scratch, evaluate it and record the run.",
        resumes=True,
        compiles=True,
    ),
    "fit": Command(
        "fit:fit", "Learn costs of ground from paths on images of your own.", resumes=True, compiles=True
    ),
    "evaluate": Command("evaluate:evaluate", "Evaluate a trained model on unseen problems.", compiles=True),
    "plan": Command("plan:plan", "Plan a route on a map of your own.", compiles=True),
    "export": Command("export:export", "Write a trained VIN as ONNX."),
    "serve": Command(
        "serve:serve", "Start a local page on which a network plans on maps that you draw.", compiles=True
    ),
    "table": Command("table:table", "Make a table of the paper from recorded runs."),
    "reproduce": Command(
        "reproduce:reproduce", "Make the runs, tables and figures of results/ anew.", compiles=True
    ),
    "plot": Command("plot:plot", "Draw a run, a shipped model, or all runs of an experiment."),
    "browse": Command("browse:browse", "Let a trained web policy find the page that a query describes."),
    "completion": Command(
        "completion:completion", "Print a script for bash that completes commands, options and ids."
    ),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command; an error ends in one sentence and a non-zero exit."""
    _open_closed_streams()
    # Names of files may hold bytes that are no text, and not every terminal has every letter.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    name, *options = (sys.argv[1:] if arguments is None else list(arguments)) or [""]
    if name in HELP:
        print(usage())
    elif name in ("-V", "--version"):
        from vinlab import __version__

        print(f"vinlab {__version__}")
    elif name in COMMANDS:
        run(name, options)
    else:
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        print(usage(), file=sys.stderr)
        _stop(f"vinlab: expected a command, got {repr(name) if name else 'none'}{hint}", 2)


def _open_closed_streams() -> None:
    """Send to nowhere what goes to a stream that the caller has closed; else the next file would take its number."""
    if sys.stdout is not None and sys.stderr is not None:
        return
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


USAGE = """\
usage: vinlab COMMAND [OPTIONS]

Value Iteration Networks: neural networks that learn to plan.

{commands}

vinlab COMMAND --help shows the options of a command, vinlab --version the version."""


def usage() -> str:
    """The help of ``vinlab`` itself."""
    lines = (f"  {name:11}{command.about}" for name, command in COMMANDS.items())
    return USAGE.format(commands="\n".join(lines))


def run(name: str, options: Sequence[str]) -> None:
    """Parse the options of a command and call it."""
    command = COMMANDS[name]
    try:
        _call(command, name, options)
    except KeyboardInterrupt:
        _stop(f"vinlab: interrupted{'; continue with --resume' if command.resumes else ''}.", 130)
    except MemoryError:
        _stop("vinlab: there is not enough memory for this; use smaller maps or fewer problems.", 1)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        _stop(f"vinlab: {error.filename or 'the system'}: {error.strerror or error}.", 1)


def _call(command: Command, name: str, options: Sequence[str]) -> None:
    """Import and call the command; wrong inputs and a lack of memory in PyTorch end in a sentence."""
    for option in options:
        if not option or (option.endswith("=") and option.startswith("--")):
            _stop(f"vinlab {name}: expected a value, got an empty text{_before(option, options)}.", 2)
    _require_joined_positions(name, options)
    function, cli, InputError = _import(command)
    code = 0
    if command.compiles and HELP.isdisjoint(options) and not _has_compiled():
        print(
            "Kernels are compiled for this machine when they are first used; that takes some seconds, once.",
            file=sys.stderr,
        )
    try:
        code = cli(function, prog=f"vinlab {name}", args=options)
    except InputError as error:
        _stop(f"vinlab: {error}", 1)
    except RuntimeError as error:
        if "allocate memory" not in str(error):
            raise
        raise MemoryError from error
    if code:
        sys.exit(code)


def _import(command: Command) -> tuple[Callable[..., Any], Callable[..., Any], type[Exception]]:
    """The function of a command, the parser of options, and the error for wrong inputs.

    Nothing that is imported is ever garbage, and looking for it takes a fifth of the start, so the collector waits.
    """
    gc.disable()
    try:
        import tyro

        from vinlab.types import InputError

        return command.load(), tyro.cli, InputError
    finally:
        gc.freeze()
        gc.enable()


def _has_compiled() -> bool:
    """Whether compiled kernels lie in the cache beside their modules; where it cannot be written, nobody knows."""
    cache = Path(__file__).parents[1] / "planning" / "fused" / "__pycache__"
    return any(cache.glob("*.nbi")) or not os.access(cache.parent, os.W_OK)


def _require_joined_positions(name: str, options: Sequence[str]) -> None:
    """A position is one word: of two numbers the parser would call the second an unknown option."""
    for option, row, col in zip(options, options[1:], options[2:], strict=False):
        if option in ("--start", "--goal") and row.rstrip(",").isdigit() and col.isdigit():
            position = f"{row.rstrip(',')},{col}"
            _stop(
                f"vinlab {name}: {option}: expected ROW,COL without a space, got '{row} {col}'; is it {position}?",
                2,
            )


def _before(option: str, options: Sequence[str]) -> str:
    """For which option a text was given."""
    before = option.rstrip("=") or next((name for name, value in pairwise(options) if value == option), "")
    return f" for {before}" if before.startswith("--") else ""


def _stop(sentence: str, code: int) -> None:
    """End with a sentence; of an endless name that it holds the beginning is enough.

    What a name or file holds cannot command the terminal or begin another line.
    """
    shown = "".join(one if one.isprintable() else repr(one)[1:-1] for one in sentence[:LONGEST])
    print(f"{shown}{'…' * (len(sentence) > LONGEST)}", file=sys.stderr)
    sys.exit(code)
