"""The command line in tests."""

import pytest

from vinlab.cli import main


def fails(capsys, *arguments: str) -> str:
    """The one sentence that a failing command prints."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    assert stop.value.code not in (0, None)
    said = capsys.readouterr().err.strip()
    assert "Traceback" not in said
    return said.splitlines()[-1]
