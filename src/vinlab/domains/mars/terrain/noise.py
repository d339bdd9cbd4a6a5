"""Random fields for synthetic terrain."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float32

BOUND = 2.0
"""Standard deviations by which the logarithm of a factor differs at most."""


@dataclass(frozen=True)
class Noises:
    """A source of random fields on a square with periodic borders."""

    side: int
    rng: np.random.Generator

    def fractal(
        self, power: float, longest: float, shortest: float = 2.0
    ) -> Float32[np.ndarray, "{self.side} {self.side}"]:
        """Noise of standard deviation 1 between two wavelengths; its amplitude falls with a power of the frequency."""
        from scipy.fft import irfft2

        strength = _strength(self.side, power, longest, shortest)
        rows, cols = strength.shape
        white = self.rng.standard_normal((2, rows, cols), np.float32)
        spectrum = np.zeros((self.side, self.side // 2 + 1), np.complex64)
        drawn = (white[0] + 1j * white[1]) * strength
        # Only the frequencies that are low enough were drawn: those of the first rows and of the last.
        spectrum[:cols, :cols] = drawn[:cols]
        spectrum[self.side - (rows - cols) :, :cols] = drawn[cols:]
        field = np.asarray(irfft2(spectrum, s=(self.side, self.side), overwrite_x=True))
        return field / max(float(field.std()), 1e-12)

    def lognormal(
        self, std: float, power: float, longest: float, shortest: float
    ) -> Float32[np.ndarray, "{self.side} {self.side}"]:
        """A positive factor that varies over the square within bounds; its median is 1."""
        field = BOUND * np.tanh(self.fractal(power, longest, shortest) / BOUND)
        return np.exp(std * field, dtype=np.float32)


@lru_cache(maxsize=64)
def _strength(side: int, power: float, longest: float, shortest: float) -> np.ndarray:
    """The amplitude of each frequency that is drawn: 0, 1, …, -2, -1 down the rows and from 0 along the columns."""
    first, last = side / min(longest, side), side / shortest
    most = min(side // 2, int(last))
    rows = np.concatenate([np.arange(most + 1), np.arange(-min(most, side - most - 1), 0)])
    waves = np.hypot(rows[:, None], np.arange(most + 1))
    strength = np.maximum(waves, first) ** -power * np.minimum(waves / first, 1) * (waves <= last)
    strength[:, 0] *= np.sqrt(2)  # of this column the transform uses one half
    return strength.astype(np.float32)


def unit_gradient(field: Float32[np.ndarray, "h w"]) -> Float32[np.ndarray, "h w"]:
    """The field scaled so that the mean square of its gradient is 1."""
    down, along = np.diff(field, axis=0), np.diff(field, axis=1)
    return field / np.float32(np.sqrt(np.mean(down**2) + np.mean(along**2)))
