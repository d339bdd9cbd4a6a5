"""Compiled CPU kernels for the planners, with the same results as ``bellman.value_iteration``.

``function`` is the autograd function, ``layout`` the memory layout of a map, ``forward`` and ``backward`` are the
compiled kernels, ``simd`` their vectors, ``threads`` divides the problems among threads, ``graph`` has the kernels of
the graph planner. Numba is imported on first use.
"""

from vinlab.planning.fused.function import fused_value_iteration, is_fusible

__all__ = ["fused_value_iteration", "is_fusible"]
