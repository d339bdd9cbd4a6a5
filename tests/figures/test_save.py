import os
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from vinlab.figures.curves import curves_figure
from vinlab.figures.save import save_figure
from vinlab.types import InputError


def a_figure() -> Figure:
    return curves_figure([{"epoch": 1, "loss": 1.0}, {"epoch": 2, "loss": 0.5}], title="a run")


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("A.SVG", b"<?xml")])
def test_the_suffix_settles_the_format_and_the_same_figure_is_the_same_file(
    tmp_path: Path, name: str, start: bytes
) -> None:
    path = save_figure(a_figure(), tmp_path / "new" / name)
    first = path.read_bytes()
    assert first.startswith(start)
    assert save_figure(a_figure(), path).read_bytes() == first


@pytest.mark.parametrize("name", ["a", "a.jpg", "a.png.exe"])
def test_another_format_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"expected a name that ends in \.png, \.pdf, \.svg, got"):
        save_figure(a_figure(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_stopped_write_leaves_the_old_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InputError, match="No space left on device"):
        save_figure(a_figure(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_drawing_needs_no_display_and_no_global_state() -> None:
    script = "import sys, vinlab.figures; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
