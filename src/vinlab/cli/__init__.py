"""The ``vinlab`` command: parses, calls, prints. What it does stands in the functions it calls."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import tyro
from tyro.conf import Positional

from vinlab import __version__
from vinlab.experiments.base import Budget, Recipe
from vinlab.types import InputError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command; a fault ends in one sentence and a non-zero exit."""
    if (sys.argv[1:] if arguments is None else list(arguments)) in (["--version"], ["-V"]):
        print(f"vinlab {__version__}")
        return
    try:
        tyro.extras.subcommand_cli_from_dict(
            COMMANDS, prog="vinlab", description="Networks that learn to plan.", args=arguments
        )
    except InputError as error:
        _stop(f"vinlab: {error}", 1)
    except KeyboardInterrupt:
        _stop("vinlab: stopped; what was finished is kept, and train --resume goes on from there.", 130)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        _stop(f"vinlab: {error.filename or 'the system'}: {error.strerror or error}.", 1)


def _stop(sentence: str, code: int) -> None:
    print(sentence, file=sys.stderr)
    sys.exit(code)


def list_settings() -> None:
    """Show what can be trained and what is shipped."""
    from rich.console import Console
    from rich.table import Table

    from vinlab.domains.control import environment as control
    from vinlab.domains.gridworld import environment as gridworld
    from vinlab.experiments import EXPERIMENTS
    from vinlab.models import shipped_ids

    table = Table("id", "what", "in the paper", "weights shipped", title="Settings")
    listed: set[str] = set()
    for experiment in EXPERIMENTS:
        for setting in experiment.settings.values():
            if setting.id in listed:  # tables of the appendix repeat rows of the main one
                continue
            listed.add(setting.id)
            shipped = "yes" if setting.id in shipped_ids() else "no"
            table.add_row(setting.id, setting.about, experiment.paper, shipped)
    Console().print(table)
    ids = f"{gridworld.ENVIRONMENT_ID}, {gridworld.HOLES_ID} (after vinlab.register_environments())"
    more = f"{control.ENVIRONMENT_ID} (after vinlab.domains.control.environment.register_environments())"
    Console().print(f"Gymnasium environments: {ids}; {more}", soft_wrap=True)


def show(id: Positional[str], /, budget: Budget = "paper", recipe: Recipe = "default") -> None:
    """Show the whole configuration of a setting, or of a finished run.

    Args:
        id: A setting such as gridworld/16/vin, or the folder of a run.
        budget: How much to spend.
        recipe: How to train.
    """
    from vinlab.experiments import EXPERIMENTS, experiment_of
    from vinlab.recording.finished_run import open_run
    from vinlab.recording.serialization import to_plain

    if Path(id).is_dir():
        run = open_run(id)
        print(json.dumps({"manifest": to_plain(run.manifest), "result": run.result}, indent=2))
        return
    config = experiment_of(EXPERIMENTS, id).setting(id).configure(budget, recipe)
    print(json.dumps({"id": id, "budget": budget, "recipe": recipe, **to_plain(config)}, indent=2))


def data(
    domain: Positional[Literal["gridworld", "mars"]],
    /,
    out: Path,
    size: int = 16,
    count: int = 1000,
    family: Literal["obstacles", "scattered", "mazes"] = "obstacles",
    seed: int = 0,
    image: Path | None = None,
    elevation: Path | None = None,
    slope: Path | None = None,
    scale: str | None = None,
    pixel: float | None = None,
    nodata: float | None = None,
    threshold: float = 10.0,
) -> None:
    """Generate problems, or cut them from images of ground, and write a file that evaluate --problems reads.

    Args:
        domain: Which world.
        out: The .npz file to write.
        size: Side of the square maps in cells; mazes need an odd one; on Mars a cell is 8 x 8 pixels.
        count: How many problems.
        family: Random obstacles as in the paper, single cells blocked by chance, or mazes.
        seed: Decides everything that is random.
        image: Mars: an image of real ground (GeoTIFF, PNG, JPEG 2000, PDS); synthetic ground if not given.
        elevation: Mars: the elevation of the same ground in metres, such as a HiRISE DT….IMG.
        slope: Mars: the slope of the same ground instead, in degrees or in steps of --scale degrees.
        scale: Mars: metres between the posts of the elevation (one number, or DOWN,ALONG), or degrees of a step of
            the slope, where the file does not say.
        pixel: Mars: metres of a pixel to which image and elevation are averaged; those of the image if not given.
        nodata: Mars: the value of the image that shows nothing, where the file does not say.
        threshold: Mars: degrees at which ground is too steep.
    """
    import numpy as np

    from vinlab.cli.output import require_at_least

    require_at_least(0, seed, "--seed")
    if domain == "mars":
        from vinlab.cli.data import make_terrain_file, terrain_files

        files = terrain_files(image, elevation, slope, scale, pixel, nodata)
        make_terrain_file(out, files=files, size=size, count=count, threshold=threshold, seed=seed)
        return
    if any(option is not None for option in (image, elevation, slope, scale, pixel, nodata)):
        raise InputError("--image, --elevation, --slope, --scale, --pixel and --nodata belong to data mars.")
    from vinlab.domains.gridworld.files import write_problems
    from vinlab.domains.gridworld.mazes import MazeConfig
    from vinlab.domains.gridworld.obstacles import ScatterConfig
    from vinlab.domains.gridworld.problem import GridworldConfig, content_hash, sample_problems

    drawn = {"obstacles": None, "scattered": ScatterConfig(), "mazes": MazeConfig()}[family]
    world = GridworldConfig(size=size, family=drawn)
    rng = np.random.default_rng(seed)
    problems = sample_problems(world, count, rng=rng)
    write_problems(out, problems)
    share = problems.obstacles[:, 1:-1, 1:-1].mean()
    print(f"{count} problems of {size} x {size} cells, {100 * share:.1f} % of the inner ones blocked.")
    print(f"Written to {out} (content {content_hash(problems)[:12]}).")


def train(
    id: Positional[str],
    /,
    budget: Budget = "paper",
    recipe: Recipe = "default",
    seed: int = 0,
    out: Path | None = None,
    data: Path | None = None,
    device: str = "cpu",
    threads: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    tensorboard: bool = False,
) -> None:
    """Train a setting from nothing, judge it on unseen problems and record the run.

    Args:
        id: A setting such as gridworld/16/vin.
        budget: smoke takes seconds, small minutes, paper the paper's own sizes.
        recipe: default learns best and fastest; paper does what the authors did.
        seed: Decides everything that is random.
        out: Folder of the run; runs/ID/RECIPE-BUDGET/seed-N if not given.
        data: Folder or file of real data to learn from instead of generated ones.
        device: Where to compute, such as cpu or cuda.
        threads: How many CPU threads to use; as many as torch likes if not given.
        resume: Go on with the unfinished run in the folder.
        overwrite: Replace the run in the folder.
        tensorboard: Write the metrics for TensorBoard as well.
    """
    import torch

    from vinlab.cli.output import print_scores, require_at_least, require_device, watched
    from vinlab.experiments import EXPERIMENTS, TrainingRequest, experiment_of
    from vinlab.learners import distributed

    if threads is not None:
        torch.set_num_threads(require_at_least(1, threads, "--threads"))
    with distributed.joined_processes():
        request = TrainingRequest(
            id=id,
            out=out or Path("runs") / id / f"{recipe}-{budget}" / f"seed-{seed}",
            budget=budget,
            recipe=recipe,
            seed=require_at_least(0, seed, "--seed"),
            data=data,
            device=require_device(device),
            resume=resume,
            overwrite=overwrite,
            tensorboard=tensorboard,
        )
        experiment = experiment_of(EXPERIMENTS, id)
        with watched(f"Training {id}") as progress:
            run = experiment.train(request, progress)
        if distributed.rank() == 0:
            print_scores(id, run.result["scores"])
            print(f"Trained in {run.result['training_seconds']:.0f} s; the run is in {run.folder}.")


def evaluate(
    model: Positional[str],
    /,
    problems: Path | None = None,
    iterations: int | None = None,
    corner_cutting: bool = True,
    json: bool = False,
) -> None:
    """Let a trained model act on unseen problems and print its scores.

    Args:
        model: The id of a shipped model such as gridworld/28/vin, or the folder of a run.
        problems: An .npz file of problems; the setting's own 1,000 test problems if not given.
        iterations: How many backups; as in training, scaled to the map, if not given.
        corner_cutting: Whether a diagonal move may pass an obstacle's corner.
        json: Print one JSON object instead of a table.
    """
    from vinlab.cli.output import format_iterations, print_json, print_scores, watched
    from vinlab.domains.gridworld.files import read_problems
    from vinlab.domains.mars.files import read_any_problems
    from vinlab.experiments import EXPERIMENTS
    from vinlab.experiments.gridworld.train import make_test_problems
    from vinlab.models import load
    from vinlab.navigation.evaluation import evaluate as evaluate_problems

    loaded = load(model)
    judge = next((one.judge for one in EXPERIMENTS if loaded.id in one.settings), None)
    if judge is not None:
        found = judge(loaded, read_any_problems(problems) if problems else None, iterations)
        print_json(found) if json else print_scores(loaded.id, found)
        return
    given = read_problems(problems) if problems else make_test_problems(loaded.size)
    used = loaded.iterations_for(given.obstacles.shape[1:]) if iterations is None else iterations
    with watched(f"Evaluating {loaded.id}") as progress:
        done = 0

        def watch(count: int) -> None:
            nonlocal done
            done += count
            progress(done, len(given), "problems")

        scores = evaluate_problems(
            loaded.network, given, iterations=used, corner_cutting=corner_cutting, watch=watch
        )
    settings = {
        "model": loaded.id,
        "problems": str(problems) if problems else "test",
        "iterations": used,
        "corner_cutting": corner_cutting,
    }
    if json:
        print_json({**asdict(scores), "settings": settings})
        return
    print_scores(loaded.id, asdict(scores))
    print(f"{len(given)} problems, {format_iterations(given.obstacles.shape[1:], used, loaded)}.")


def plan(
    map: Positional[Path],
    /,
    start: str | None = None,
    goal: str | None = None,
    model: str | None = None,
    exact: bool = False,
    out: Path = Path("plan.png"),
    path: Path | None = None,
    world: bool = False,
    iterations: int | None = None,
    corners: Literal["custom", "cut", "forbid"] = "custom",
    blocked: Literal["low", "high"] | None = None,
    threshold: float | None = None,
    unknown: Literal["blocked", "free"] = "blocked",
    radius: float = 0.0,
    index: int = 0,
) -> None:
    """Plan a route on a map of your own and draw it with the reward and value that the network found.

    Args:
        map: A map: PNG, PGM, a robot's .yaml, MovingAI .map, GeoTIFF, .npy or .npz; or a MovingAI .scen, all of
            whose scenarios are run; or, for a model such as mars/vin, an image of ground.
        start: ROW,COL of the start; the file's own if it names one and this is not given.
        goal: ROW,COL of the goal; the same.
        model: The id of a shipped model, or the folder of a run; grid/any if not given, or grid/strict where
            corners may not be cut.
        exact: Plan the shortest route, without a network.
        out: Where to draw the plan (.png, .pdf or .svg).
        path: Where to write the path in the map's own coordinates (.csv, .json or .geojson).
        world: Take start and goal as X,Y in the map's own coordinates (metres, degrees …).
        iterations: How many backups; if not given, as many as bring the start to the goal.
        corners: Whether a diagonal move may pass an obstacle's corner; the format's custom is to cut them, but
            in MovingAI files to forbid it.
        blocked: Which values are blocked: low (dark, 0) or high (bright, 1); low in pictures, high in arrays.
        threshold: Where high begins: a brightness from 0 to 1 in pictures (0.5), a value in arrays and rasters.
        unknown: What cells count as that the file knows nothing about.
        radius: Radius of the robot in the map's unit, by which obstacles grow.
        index: Which map of a file that holds several.
    """
    from vinlab.cli.plan import plan_map_file, run_scenario_file
    from vinlab.maps import MapOptions, is_scenario_file
    from vinlab.models import Model, default_id, load
    from vinlab.navigation.images import takes_images

    def pick(corner_cutting: bool) -> Model | None:
        return None if exact else load(model or default_id(corner_cutting=corner_cutting))

    options = MapOptions(blocked, threshold, unknown, index)
    cutting = {"custom": None, "cut": True, "forbid": False}[corners]
    if model and not exact and takes_images(ground := load(model)):
        if world or radius or index or blocked or threshold is not None or cutting is not None:
            raise InputError(
                f"{ground.id} looks at the image itself: --world, --radius, --index, --blocked, --threshold and "
                "--corners do not go with it."
            )
        from vinlab.cli.plan_image import plan_image_file

        plan_image_file(map, (start, goal), ground, iterations=iterations, out=out, path_file=path)
        return
    if is_scenario_file(map):
        if start or goal or path or world or radius:
            raise InputError(
                "a .scen file has its own ends: --start, --goal, --path, --world, --radius do not go with it."
            )
        run_scenario_file(map, options, pick, iterations, cutting)
        return
    plan_map_file(
        map,
        options,
        (start, goal),
        pick,
        radius=radius,
        world=world,
        iterations=iterations,
        corner_cutting=cutting,
        out=out,
        path_file=path,
    )


def export(model: Positional[str], out: Positional[Path], /) -> None:
    """Write a trained VIN as ONNX, for maps of any size, any batch and any number of backups.

    Args:
        model: The id of a shipped model such as gridworld/28/vin, or the folder of a run.
        out: The .onnx file to write.
    """
    from vinlab.export.onnx import export_onnx
    from vinlab.models import load

    loaded = load(model)
    export_onnx(loaded.network, out)
    print(
        f"Written to {out}. Inputs: observation [B C H W], states [B S 2], iterations; first output: logits."
    )
    print(
        f"{loaded.id} has K = {loaded.network.iterations} on maps of side {loaded.size}; larger ones need more."
    )


def serve(model: tuple[str, ...] = (), host: str = "127.0.0.1", port: int = 8028) -> None:
    """Start a local page on which you draw maps and watch a network plan.

    Args:
        model: Ids or folders of runs to offer; the shipped grid-world models if not given.
        host: Address to listen on; only this machine can reach the default.
        port: Port to listen on; 0 takes any free one.
    """
    from vinlab.serve.server import models_for_page
    from vinlab.serve.server import serve as serve_page

    serve_page(models_for_page(model), host=host, port=port)


def table(experiment: Positional[str], /, runs: Path = Path("results"), out: Path | None = None) -> None:
    """Make a table of the paper from recorded runs, ours beside theirs.

    Args:
        experiment: Such as gridworld.
        runs: Folder below which the recorded runs lie.
        out: Markdown file to write; the table is printed if not given.
    """
    from vinlab.experiments import EXPERIMENTS, experiment_named
    from vinlab.recording.files import write_text
    from vinlab.recording.finished_run import collect_runs

    chosen = experiment_named(EXPERIMENTS, experiment)
    recorded = collect_runs(runs, on_unusable=lambda error: print(f"Left out: {error}", file=sys.stderr))
    wanted = [run for run in recorded if run.manifest.id in chosen.settings]
    if not wanted:
        raise InputError(f"There are no finished runs of {experiment} below {runs}.")
    text = chosen.table(wanted)
    if out is None:
        print(text)
        return
    write_text(out, text)
    print(f"Written to {out}.")


def plot(run: Positional[Path], /, out: Path | None = None, problem: int | None = None) -> None:
    """Draw a run: how it learned and what it does on unseen problems (grid-world: plan and routes; control: ways).

    Args:
        run: The folder of a finished run, or the id of a shipped model such as gridworld/28/vin.
        out: Folder for the pictures; the run's own, or this one for a shipped model, if not given.
        problem: Which test problem to draw the plan of (the one with the longest way if not given), or the first of
            the control domains to draw.
    """
    from vinlab.experiments.pictures import draw

    for path in draw(run, out, problem=problem):
        print(f"Drawn in {path}.")


def browse(
    query: Positional[str],
    /,
    model: Path,
    data: Path | None = None,
    start: str | None = None,
    clicks: int = 10,
    out: Path | None = None,
) -> None:
    """Let a trained web policy look for the page that a query describes, and show every click.

    Args:
        query: A few words or sentences that describe a page.
        model: The folder of a run of web navigation, such as runs/web/full/pages/default-paper/seed-0.
        data: Folder of the site that the run was trained on; the synthetic encyclopedia needs none.
        start: Title of the page to start from; the root if not given.
        clicks: How many clicks at most.
        out: Where to draw the plan on the tree of categories (.png, .pdf or .svg).
    """
    from vinlab.experiments.web.browse import open_browser
    from vinlab.experiments.web.figures import print_trail, trail_figure

    browser = open_browser(model, data)
    trail = browser.follow(query, start=browser.page_named(start) if start else 0, most_clicks=clicks)
    print_trail(browser, trail)
    if out is not None:
        from vinlab.figures.save import save_figure

        print(f"Drawn in {save_figure(trail_figure(browser, trail), out)}.")


COMMANDS: dict[str, Callable[..., Any]] = {
    "list": list_settings,
    "show": show,
    "data": data,
    "train": train,
    "evaluate": evaluate,
    "plan": plan,
    "export": export,
    "serve": serve,
    "table": table,
    "plot": plot,
    "browse": browse,
}
