"""How functions are compiled by numba: cached where the disk can be written, compiled anew in each process elsewhere.

Importing this file imports numba.
"""

from typing import no_type_check

from numba import njit


@no_type_check
def compiled(function=None, **options):
    """The compiled function, which releases the GIL; with options, a decorator that gives it.

    No function uses numba's own threads: those of its OpenMP layer end a child that was forked after they ran.
    """
    if function is None:
        return lambda later: compiled(later, **options)
    try:
        return njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:  # neither the installation nor the user's folder can be written
        return njit(nogil=True, **options)(function)
