"""The maps of the gallery as images, to try ``vinlab plan`` on."""

import io
from pathlib import Path

import numpy as np
from PIL import Image

from vinlab.domains.gridworld.gallery import GALLERY, gallery_problem
from vinlab.recording.files import write_bytes
from vinlab.types import InputError


def write_gallery(out: Path) -> None:
    """Write the ten maps into a folder, one pixel a cell and obstacles black, and print how to plan on each."""
    if out.exists() and not out.is_dir():
        raise InputError(f"--out: expected a folder for the images of the gallery, got the file {out}.")
    for name, entry in GALLERY.items():
        problem, path = gallery_problem(name), out / f"{name}.png"
        write_bytes(path, _png(problem.obstacles[0]))
        start, goal = (",".join(map(str, cells[0])) for cells in (problem.starts, problem.goals))
        print(f"vinlab plan {path} --start {start} --goal {goal}  # {entry.about}")


def _png(obstacles: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.where(obstacles != 0, 0, 255).astype(np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()
