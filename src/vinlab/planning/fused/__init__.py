"""The fast CPU kernels behind the grid planner: the same results as ``bellman.value_iteration``, without its cost.

``function`` is what PyTorch sees, ``layout`` how a map lies in memory, ``forward`` and ``backward`` are the
compiled kernels, ``simd`` their vectors, ``threads`` shares out the problems. Numba is imported on first use.
"""

from vinlab.planning.fused.function import fused_value_iteration, is_fusible

__all__ = ["fused_value_iteration", "is_fusible"]
