"""How functions are compiled by numba: cached where the disk can be written, compiled anew in each process elsewhere.

Importing this file imports numba.
"""

import inspect
from collections.abc import Callable
from typing import Any

from numba import extending, njit

intrinsic: Any = extending.intrinsic
"""Numba's decorator of functions in LLVM's own instructions; they are called without the context that they state."""


def compiled_part(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A function that compiled ones call, compiled with them; with options, a decorator that gives it.

    It releases the GIL. Without what checks the types of its arguments in tests, which numba cannot compile.
    """
    if function is None:
        return lambda later: compiled_part(later, **options)
    return njit(nogil=True, **options)(inspect.unwrap(function))


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """The same for a function that Python calls.

    No function uses numba's own threads: those of its OpenMP layer end a child that was forked after they ran.
    """
    if function is None:
        return lambda later: compiled(later, **options)
    try:
        return compiled_part(function, cache=True, **options)
    except RuntimeError:  # neither the installation nor the user's folder can be written
        return compiled_part(function, **options)
