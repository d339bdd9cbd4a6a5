"""Hostile terrain: images, rasters, PDS and ISIS labels, folders of rasters, and files of problems."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from reliability.bombs import PLACES
from reliability.cases import Case, SilentDifference, command
from reliability.map_formats import archive, geotiff, npy, png
from reliability.odd_bytes import Rng, damaged
from vinlab.domains.gridworld import files as grid_files
from vinlab.domains.mars import files as mars_files
from vinlab.domains.mars.rasters.folders import read_mars_folder
from vinlab.domains.mars.rasters.image import read_terrain_image

SIDE = 32
SECRET = b"\x2a" * (SIDE * SIDE * 2)


def label(pointer: str, first: int = 2, **fields: Any) -> bytes:
    """A PDS image with its label in front, in records of 4,096 bytes."""
    known = {
        "LINES": SIDE,
        "LINE_SAMPLES": SIDE,
        "SAMPLE_TYPE": "MSB_UNSIGNED_INTEGER",
        "SAMPLE_BITS": 8,
        "BANDS": 1,
    } | fields
    image = "\n".join(f"  {name} = {entry}" for name, entry in known.items())
    text = (
        f"PDS_VERSION_ID = PDS3\nRECORD_TYPE = FIXED_LENGTH\nRECORD_BYTES = 4096\nFILE_RECORDS = 2\nLABEL_RECORDS = 1\n"
        f"^IMAGE = {pointer}\nOBJECT = IMAGE\n{image}\nEND_OBJECT = IMAGE\nEND\n"
    )
    return text.encode().ljust(4096) + bytes(range(256)) * 16


def isis(core: str) -> bytes:
    """A label of ISIS that names the file of its pixels."""
    text = f"""Object = IsisCube
  Object = Core
    {core}
    Format = BandSequential
    Group = Dimensions
      Samples = {SIDE}
      Lines = {SIDE}
      Bands = 1
    End_Group
    Group = Pixels
      Type = UnsignedByte
      ByteOrder = Lsb
      Base = 0.0
      Multiplier = 1.0
    End_Group
  End_Object
End_Object
End
"""
    return text.encode().ljust(4096) + bytes(range(256)) * 16


POINTERS = [
    '("../secret.bin",1)',
    '"../secret.bin"',
    '("/etc/passwd",1)',
    '("link.bin",1)',
    '("sub/../../secret.bin",1)',
    '"/vsicurl/http://localhost/x"',
    '/* here */ ("../secret.bin",1)',
    '(\n "../secret.bin",\n 1)',
    '("none.bin",1)',
    '("a.img",2)',
    "2",
    "-5",
    "99999999",
    "nan",
    '""',
    "((((",
]
CORES = [
    "StartByte = 4097",
    "StartByte = -1",
    "StartByte = 99999999999",
    "^Core = ../secret.bin",
    '^Core = "../secret.bin"',
    "^Core = /etc/passwd",
    "^Core = link.bin",
    "^Core = none.cub",
    "^Core = /vsimem/x",
]


def labelled(rng: Rng) -> Iterator[Case]:
    """Labels that point elsewhere; no byte of another folder may come back."""

    def check(found: Any) -> None:
        image = found.image
        if len(np.unique(image)) == 1:  # the secret is one number
            raise SilentDifference("the pixels of a file in another folder")

    def writer(data: bytes) -> Any:
        def write(folder: Path) -> None:
            (folder / "in").mkdir()
            (folder / "secret.bin").write_bytes(SECRET)
            (folder / "in" / "link.bin").symlink_to(folder / "secret.bin")
            (folder / "in" / "a.img").write_bytes(data)

        return write

    files = {f"PDS {pointer}": label(pointer) for pointer in POINTERS} | {
        f"ISIS {core}": isis(core) for core in CORES
    }
    odd = {
        "LINES": 10**9,
        "LINE_SAMPLES": -1,
        "SAMPLE_BITS": 7,
        "BANDS": 10**6,
        "SAMPLE_TYPE": "DREAM",
        "ENCODING_TYPE": '"JP2"',
    }
    files |= {f"PDS {name} = {entry}": label("2", **{name: entry}) for name, entry in odd.items()}
    for name, data in files.items():
        yield Case(
            "terrain: labels",
            name,
            lambda folder: read_terrain_image(folder / "in" / "a.img"),
            writer(data),
            check,
        )
    for number in range(15):
        kind, data = damaged(label("2") if number % 2 else isis("StartByte = 4097"), rng)
        yield Case(
            "terrain: labels",
            f"{kind}, {number}",
            lambda folder: read_terrain_image(folder / "in" / "a.img"),
            writer(data),
        )


def images(rng: Rng, count: int) -> Iterator[Case]:
    """Damaged images and rasters, read and planned on."""
    from rasterio.transform import Affine

    grey = rng.integers(0, 255, (SIDE, SIDE), dtype=np.uint8)
    files = {
        "a.png": png(grey),
        "colour.png": png(np.stack([grey] * 3, -1)),
        "deep.png": png(grey.astype(np.uint16)),
        "a.tif": geotiff(grey),
        "floats.tif": geotiff(grey.astype(np.float32)),
    }
    for name, there in {
        "nan": Affine(np.nan, 0, 0, 0, -1, 0),
        "inf": Affine(1, 0, np.inf, 0, -1, 0),
        "zero": Affine(0, 0, 0, 0, 0, 0),
        "turned": Affine(1, 1, 0, 1, -1, 0),
        "vast": Affine(1e300, 0, 0, 0, -1e300, 0),
    }.items():
        data = geotiff(grey, transform=there, crs="EPSG:3857")
        use = command(
            "plan",
            "{}/a.tif",
            "--model",
            "mars/vin",
            "--start",
            "0,0",
            "--goal",
            "3,3",
            "--path-out",
            "{}/p.json",
        )
        yield Case(
            "terrain: images",
            f"transform {name}",
            use,
            lambda folder, data=data: (folder / "a.tif").write_bytes(data),
        )
    for number in range(count):
        file = str(rng.choice(list(files)))
        kind, data = damaged(files[file], rng)
        use = (
            (lambda folder, file=file: read_terrain_image(folder / file))
            if number % 4
            else command(
                "data",
                "mars",
                "--image",
                f"{{}}/{file}",
                "--slope",
                f"{{}}/{file}",
                "--slope-step",
                "1",
                "--out",
                "{}/a.npz",
                "--size",
                "4",
                "--count",
                "1",
            )
        )
        yield Case(
            "terrain: images",
            f"{file}, {kind}, {number}",
            use,
            lambda folder, file=file, data=data: (folder / file).write_bytes(data),
        )


def folders(rng: Rng, count: int) -> Iterator[Case]:
    """Folders of terrain of which one file is damaged or no file."""
    plain = png(rng.integers(0, 200, (SIDE, SIDE), dtype=np.uint8))
    names = ["image.png", "slope_dn.png", "valid.png"]
    for number in range(count):
        place, data = str(rng.choice(list(PLACES))), damaged(plain, rng)[1]
        file = str(rng.choice(names))

        def write(
            folder: Path,
            file: str = file,
            place: str = place,
            data: bytes = data,
            odd: bool = bool(number % 2),
        ) -> None:
            for name in names:
                (folder / name).write_bytes(plain)
            if not odd:
                (folder / file).write_bytes(data)
                return
            PLACES[place](folder)
            if (folder / "a").exists() or (folder / "a").is_symlink():
                (folder / "a").rename(folder / file) if not (folder / "a").is_dir() else (
                    folder / file
                ).unlink()

        yield Case("terrain: folders", f"{file}, {number}", read_mars_folder, write)


def problems(rng: Rng, count: int) -> Iterator[Case]:
    """Files of problems with one odd array, or damaged; a damaged one is refused or gives the same."""
    sound = {
        "obstacles": np.zeros((2, 4, 4), np.uint8),
        "starts": np.zeros((2, 2), np.int64),
        "goals": np.full((2, 2), 3),
        "images": np.zeros((2, 1, 32, 32), np.uint8),
        "blocks": np.arange(2),
    }
    odd = [
        np.zeros(()),
        np.zeros((2, 4, 4), "f8") + np.nan,
        np.full((2, 2), -1),
        np.full((2, 2), 1e300),
        np.zeros((0, 2)),
        np.full((2, 2), 2**63, "u8"),
        np.zeros((2, 4, 4), complex),
        np.array(["a", "b"]),
        np.array([None, 1], object),
        np.zeros((1, 9000, 9000), np.uint8),
        np.full((2, 4, 4), 7),
        np.ones((2, 4, 4), np.uint8),
        np.zeros((2, 4, 4, 4)),
        np.full((2, 2), True),
    ]

    def check(found: Any) -> None:
        if not (
            np.array_equal(found.obstacles, sound["obstacles"])
            and np.array_equal(found.goals, sound["goals"])
        ):
            raise SilentDifference("other problems")

    for number in range(count):
        arrays = dict(sound)
        read = (grid_files if number % 2 else mars_files).read_problems
        if number % 3:
            arrays[str(rng.choice(list(arrays)))] = odd[int(rng.integers(len(odd)))]
            data, kind, checked = (
                archive({f"{name}.npy": npy(array) for name, array in arrays.items()}),
                "odd",
                None,
            )
        else:
            packed = io.BytesIO()
            np.savez_compressed(packed, **arrays)  # type: ignore[arg-type]
            (kind, data), checked = damaged(packed.getvalue(), rng), check
        yield Case(
            "terrain: problems",
            f"{kind}, {number}",
            lambda folder, read=read: read(folder / "a.npz"),
            lambda folder, data=data: (folder / "a.npz").write_bytes(data),
            checked,
        )


def cases(rng: Rng, count: int) -> Iterator[Case]:
    """About ``count`` cases."""
    yield from labelled(rng)
    yield from images(rng, count * 5 // 10)
    yield from folders(rng, count // 10)
    yield from problems(rng, count * 4 // 10)
