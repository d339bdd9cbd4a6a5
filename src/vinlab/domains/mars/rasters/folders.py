"""Folders of real terrain: the CTX strip, HiRISE products as published, or any pairs of rasters."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from vinlab.domains.mars.rasters.grid import grid_of
from vinlab.domains.mars.rasters.pairs import TerrainFiles, read_terrain
from vinlab.domains.mars.rasters.reader import open_raster, reading
from vinlab.domains.mars.terrain import Terrain
from vinlab.types import InputError

CTX_FILES = ("image.png", "slope_dn.png", "valid.png")
MOST_STRIP_PIXELS = 2**25
SLOPE_STEP = 0.2
"""Degrees of each step of the CTX slope map."""
ELEVATION, SLOPE = ("_dtm", "_elevation"), ("_slope",)
"""What replaces ``_image`` in the name of a raster."""
HIRISE_DTM = re.compile(r"DT..([A-D])_(\d{6}_\d{4})_(\d{6}_\d{4})_\w+\.IMG", re.IGNORECASE)
"""Names of elevation models of HiRISE: the letter of the grid, and the two observations."""


def read_mars_folder(path: str | Path) -> list[Terrain]:
    """The terrains of a folder.

    Known are the CTX strip (``image.png``, ``slope_dn.png``, ``valid.png``), pairs named ``X_image.*`` with
    ``X_dtm.*``, ``X_elevation.*`` or ``X_slope.*``, and HiRISE products (``DT….IMG`` with ``…_ORTHO.JP2``).
    """
    path = Path(path)
    if not path.is_dir():
        raise InputError(f"expected a folder of terrain, got {path}, which is none.")
    if all((path / name).is_file() for name in CTX_FILES):
        return [read_ctx(path)]
    pairs = find_pairs(path)
    if not pairs:
        raise InputError(
            f"{path}: expected {', '.join(CTX_FILES)}, or pairs such as A_image.png with A_dtm.tif, or a HiRISE "
            "DT….IMG with its …_ORTHO.JP2, got none of them."
        )
    return [read_terrain(pair) for pair in _with_spacings(pairs)]


def read_ctx(folder: Path) -> Terrain:
    """The CTX strip: an image, a slope map of the same pixels, and a mask of the valid ones."""
    image, numbers, valid = (_read_png(folder / name) for name in CTX_FILES)
    if not image.shape == numbers.shape == valid.shape:
        sizes = ", ".join(f"{one.shape[0]} x {one.shape[1]}" for one in (image, numbers, valid))
        raise InputError(f"{folder}: expected {', '.join(CTX_FILES)} of the same size, got {sizes}.")
    slope = np.where(valid > 0, SLOPE_STEP * numbers, np.nan).astype(np.float32)
    notes = (
        f"The slope is {SLOPE_STEP} degrees for each step of slope_dn.png.",
        f"{int((valid > 0).sum()):,} of {valid.size:,} pixels are valid.",
    )
    return Terrain(image.astype(np.uint8), slope, folder.name, notes)


def _read_png(path: Path) -> np.ndarray:
    from PIL import Image

    with reading(path), Image.open(path, formats=["PNG"]) as image:
        if image.width * image.height > MOST_STRIP_PIXELS:
            raise InputError(
                f"{path}: expected at most {MOST_STRIP_PIXELS:,} pixels, got {image.height} x {image.width}."
            )
        if image.mode not in ("L", "1"):
            raise InputError(f"{path}: expected an 8-bit grey image, got the mode {image.mode}.")
        return np.array(image)


def find_pairs(folder: Path) -> list[TerrainFiles]:
    """The pairs of files in a folder, in the order of their names."""
    files = sorted(file for file in folder.iterdir() if file.is_file())
    named = [pair for file in files if (pair := _named_pair(file, files))]
    return named or [pair for file in files if (pair := _hirise_pair(file, files))]


def _named_pair(image: Path, files: list[Path]) -> TerrainFiles | None:
    stem = image.stem.lower()
    if not stem.endswith("_image"):
        return None
    beside = {
        file.stem.lower(): file for file in files if file.suffix.lower() not in (".xml", ".lbl", ".txt")
    }
    for ending in (*ELEVATION, *SLOPE):
        found = beside.get(stem.removesuffix("_image") + ending)
        if found is not None:
            return TerrainFiles(image, slope=found) if ending in SLOPE else TerrainFiles(image, found)
    return None


def _hirise_pair(elevation: Path, files: list[Path]) -> TerrainFiles | None:
    """An elevation model of HiRISE with an orthoimage of one of its two observations, of the same grid if there is."""
    match = HIRISE_DTM.fullmatch(elevation.name)
    if match is None:
        return None
    kind, *observations = match.groups()
    orthos = [
        file
        for observation in observations
        for file in files
        if file.name.upper().endswith("_ORTHO.JP2") and observation in file.name
    ]
    same_grid = [file for file in orthos if f"_{kind}_" in file.name]
    chosen = next(iter(same_grid + orthos), None)
    return None if chosen is None else TerrainFiles(chosen, elevation=elevation)


def _with_spacings(pairs: list[TerrainFiles]) -> list[TerrainFiles]:
    """Elevations without coordinates get the post spacing of the first of their neighbours that has some."""
    spacings = [_spacing(pair.elevation) if pair.elevation else None for pair in pairs]
    known = next((spacing for spacing in spacings if spacing is not None), None)
    return [
        replace(pair, post_spacing=known) if pair.elevation and spacing is None else pair
        for pair, spacing in zip(pairs, spacings, strict=True)
    ]


def _spacing(elevation: Path) -> tuple[float, float] | None:
    with open_raster(elevation) as raster:
        if raster.crs is None:
            return None
        spacing = grid_of(raster).spacing(np.array([raster.shape[0] // 2]), None)
        return float(spacing.down[0]), float(spacing.along[0])
