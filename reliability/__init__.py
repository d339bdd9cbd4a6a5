"""Trials of what users rely on: hostile inputs (``fuzz``), and runs that are killed and damaged (``soak_runs``)."""

import os

# Cases run in forked processes, side by side, so that each has one thread.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("NUMBA_THREADING_LAYER", "workqueue")  # the one that a fork does not break
