"""How a dataset is read and split."""

from dataclasses import dataclass

from vinlab.types import InputError


@dataclass(frozen=True)
class ReadingOptions:
    """How the files of a dataset are understood."""

    pixels: int | None = None
    """Pixels along the edge of a cell; 1 if not given, or as arrays of blocked cells or costs tell."""
    split_by: str | None = None
    """The column or array by which images are split; without it every image is a part by itself."""
    skip_bad: bool = False
    """Whether paths that cannot be used are left out, each with a note, instead of an error."""

    def __post_init__(self) -> None:
        if self.pixels is not None and self.pixels < 1:
            raise InputError(f"pixels: expected at least 1 for a cell, got {self.pixels}.")
