"""The eight symmetries of the square: physics is the same in a mirror, so every lesson holds there, too."""

import numpy as np
import torch

from vinlab.learners.regression import ControlDemonstrations


def mirror(
    shown: ControlDemonstrations, *, rows: bool, cols: bool, transposed: bool
) -> ControlDemonstrations:
    """The same lesson with rows or columns turned round, and then rows and columns exchanged."""
    signs = torch.tensor([-1.0 if rows else 1.0, -1.0 if cols else 1.0])
    images = shown.observations.flip([axis for axis, turned in ((2, rows), (3, cols)) if turned])
    states = shown.states * torch.cat([signs, signs])
    controls = shown.controls * signs
    precisions = shown.precisions * signs[:, None] * signs
    if not transposed:
        return ControlDemonstrations(images, states, controls, precisions)
    return ControlDemonstrations(
        images.transpose(2, 3),
        states[..., [1, 0, 3, 2]],
        controls[..., [1, 0]],
        precisions[..., [1, 0], :][..., [1, 0]],
    )


def mirror_at_random(shown: ControlDemonstrations, rng: np.random.Generator) -> ControlDemonstrations:
    """The lesson in one of the eight mirrors."""
    rows, cols, transposed = (bool(one) for one in rng.integers(2, size=3))
    return mirror(shown, rows=rows, cols=cols, transposed=transposed)
