"""``vinlab fit``."""

from pathlib import Path
from typing import Annotated

import torch
from tyro.conf import Positional, arg

from vinlab.cli.checks import MOST_SEED, most_threads, require_between, require_folder, require_one_of_two
from vinlab.cli.output import print_scores, watched
from vinlab.experiments.terrain_costs.dataset.read import read_dataset
from vinlab.experiments.terrain_costs.dataset.record import ReadingOptions, summary
from vinlab.experiments.terrain_costs.dataset.split import split_dataset
from vinlab.experiments.terrain_costs.figures import routes_figure
from vinlab.experiments.terrain_costs.fit import FitOptions
from vinlab.experiments.terrain_costs.fit import fit as fit_dataset
from vinlab.figures.save import save_figure
from vinlab.models import load

SHOWN = 12
"""The most notes on a dataset that are printed."""


def fit(
    data: Positional[Path],
    /,
    options: Annotated[FitOptions, arg(name="")],
    out: Path,
    seed: int = 0,
    threads: int = 1,
    check_only: bool = False,
    resume: bool = False,
    overwrite: bool = False,
    tensorboard: bool = False,
) -> None:
    """Learn what ground costs from demonstrated paths on images of your own, and get a planner for new images.

    Args:
        data: A folder of images with paths.csv or paths.json, an .npz file of both, or a dataset of Neural A*.
        options: How to fit.
        out: Folder of the run.
        seed: Random seed.
        threads: Number of CPU threads; more than one help with large images alone.
        check_only: Check the data, print the summary and stop.
        resume: Continue the unfinished run in the folder.
        overwrite: Replace the run in the folder.
        tensorboard: Write the metrics for TensorBoard too.
    """
    require_one_of_two(resume, overwrite)
    torch.set_num_threads(require_between(1, threads, most_threads(), "--threads"))
    reading = ReadingOptions(options.pixels_per_cell, options.split_by, options.skip_bad)
    dataset = read_dataset(data, reading)
    first, *others = summary(dataset)
    hidden = len(others) - SHOWN
    print(first, *others[:SHOWN], *([f"… and {hidden} more notes."] if hidden > 0 else []), sep="\n")
    split = split_dataset(dataset)
    print(f"Split by {options.split_by or 'image'}: {split}")
    if check_only:
        return
    require_between(0, seed, MOST_SEED, "--seed")
    rules = {"resume": resume, "overwrite": overwrite, "tensorboard": tensorboard}
    with watched(f"Fitting {data.name}") as progress:
        run = fit_dataset(data, require_folder(out), options, seed=seed, **rules, progress=progress)
    print_scores(run.manifest.id, run.result["scores"])
    drawn = save_figure(routes_figure(load(run.folder), split.test, None), run.folder / "routes.png")
    print(f"Fitted in {run.result['training_seconds']:.0f} s; the run is in {run.folder}, routes in {drawn}.")
    print(f"Plan with: vinlab plan IMAGE --model {run.folder} --start ROW,COL --goal ROW,COL")
