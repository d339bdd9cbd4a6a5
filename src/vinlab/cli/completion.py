"""``vinlab completion``: what the Tab key adds in a shell."""

import re
from contextlib import redirect_stdout, suppress
from io import StringIO

import tyro

from vinlab import cli
from vinlab.experiments.catalogue import read_catalogue
from vinlab.models import shipped_ids

SCRIPT = """\
_vinlab() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" = 1 ]; then
    words="{commands}"
  else
    case "${{COMP_WORDS[1]}} ${{COMP_WORDS[COMP_CWORD-1]}} $word" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _vinlab vinlab
"""
TAKES_ID = ("train", "evaluate", "show", "export", "plot")
"""Commands whose first word is the id of a setting or of a shipped model."""
OPTION = re.compile(r"^\W{,3}(--[a-z][\w-]*)(?:, (--[\w-]+))?(?: \{([\w,-]+)\})?(?: |$)", re.MULTILINE)
"""An option in the help of a command, its opposite, and the words that it takes."""


def completion() -> None:
    """Print a script for bash that completes commands, options and ids: eval "$(vinlab completion)"."""
    cases = [case for name in cli.COMMANDS for case in _cases(name)]
    lines = "\n".join(
        f'    "{pattern[0]}"{pattern[1]}) words="{" ".join(words)}" ;;' for *pattern, words in cases
    )
    script = SCRIPT.format(commands=" ".join([*cli.COMMANDS, "--help", "--version"]), cases=lines)
    print(script, end="")


def _cases(command: str) -> list[tuple[str, str, list[str]]]:
    """The beginning of what was typed, literal and then as a pattern, and the words that can follow it."""
    found = OPTION.findall(_help_of(command))
    options = [name for pair in found for name in pair[:2] if name]
    chosen = {name: words.removeprefix("None,").split(",") for name, _, words in found if words}
    cases = [(f"{command} {name} ", "*", words) for name, words in chosen.items()]
    if any(name == "--model" for name, *_ in found):
        cases.append((f"{command} --model ", "*", shipped_ids()))
    cases.append((f"{command} ", '*" -"*', ["--help", *options]))
    if command in TAKES_ID:
        cases.append((f"{command} {command} ", "*", sorted({*read_catalogue(), *shipped_ids()})))
    return cases


def _help_of(command: str) -> str:
    text = StringIO()
    with redirect_stdout(text), suppress(SystemExit):
        tyro.cli(cli.COMMANDS[command].load(), prog=f"vinlab {command}", args=["--help"])
    return text.getvalue()
