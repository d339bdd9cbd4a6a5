"""The Tab key completes commands, options, their words and ids: tried in bash."""

import shutil
import subprocess

import pytest

from vinlab.cli import COMMANDS, main

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="bash is not installed")
TRY = """
COMP_WORDS=({words} "")
COMP_CWORD={last}
COMP_WORDS[$COMP_CWORD]={typed!r}
_vinlab
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script():
    from contextlib import redirect_stdout
    from io import StringIO

    text = StringIO()
    with redirect_stdout(text):
        main(["completion"])
    return text.getvalue()


def completed(script: str, *words: str) -> list[str]:
    """What is offered for the last word."""
    *before, typed = words
    lines = script + TRY.format(words=" ".join(before), last=len(before), typed=typed)
    assert BASH is not None
    done = subprocess.run([BASH, "-c", lines], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def test_commands_are_completed(script):
    assert completed(script, "vinlab", "pl") == ["plan", "plot"]
    assert {*completed(script, "vinlab", "")} == {*COMMANDS, "--help", "--version"}


def test_options_are_completed(script):
    assert completed(script, "vinlab", "plan", "map.png", "--st") == ["--start"]
    assert completed(script, "vinlab", "train", "grid/any", "--over") == ["--overwrite"]
    assert completed(script, "vinlab", "serve", "--") == ["--help", "--model", "--host", "--port", "--device"]


def test_words_of_options_and_ids_are_completed(script):
    assert completed(script, "vinlab", "plan", "map.png", "--corner-cutting", "") == [
        "auto",
        "allow",
        "forbid",
    ]
    assert completed(script, "vinlab", "plan", "map.png", "--obstacles", "") == ["dark", "bright"]
    assert completed(script, "vinlab", "plan", "map.png", "--model", "grid/a") == ["grid/any"]
    assert completed(script, "vinlab", "train", "gridworld/28/v") == ["gridworld/28/vin"]


def test_other_words_are_left_to_the_shell(script):
    """Nothing is offered, so that bash completes names of files."""
    assert completed(script, "vinlab", "plan", "ma") == []
    assert completed(script, "vinlab", "plan", "map.png", "--out", "pl") == []
