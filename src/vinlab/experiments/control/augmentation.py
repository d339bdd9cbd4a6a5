"""The eight symmetries of the square: the physics is the same in a mirror, so mirrored demonstrations are valid."""

import numpy as np
import torch

from vinlab.types import ContinuousDemonstrations


def mirror(
    shown: ContinuousDemonstrations, *, rows: bool, cols: bool, transposed: bool
) -> ContinuousDemonstrations:
    """The demonstrations with rows or columns reversed, and then rows and columns exchanged."""
    signs = torch.tensor([-1.0 if rows else 1.0, -1.0 if cols else 1.0])
    images = shown.observations.flip([axis for axis, reversed in ((2, rows), (3, cols)) if reversed])
    states = shown.states * torch.cat([signs, signs])
    forces = shown.actions * signs
    precisions = shown.precisions * signs[:, None] * signs
    if not transposed:
        return ContinuousDemonstrations(images, states, forces, precisions)
    return ContinuousDemonstrations(
        images.transpose(2, 3),
        states[..., [1, 0, 3, 2]],
        forces[..., [1, 0]],
        precisions[..., [1, 0], :][..., [1, 0]],
    )


def mirror_at_random(shown: ContinuousDemonstrations, rng: np.random.Generator) -> ContinuousDemonstrations:
    """The demonstrations in one of the eight symmetries."""
    rows, cols, transposed = (bool(drawn) for drawn in rng.integers(2, size=3))
    return mirror(shown, rows=rows, cols=cols, transposed=transposed)
