"""Draw the figures of the documentation: python docs/figures.py (or: make figures).

The screenshots of the page need Chromium and the extra ``test``; without either they are left unchanged.
"""

import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import vinlab
from vinlab.domains.gridworld import places
from vinlab.domains.gridworld.gallery import GALLERY, gallery_problem
from vinlab.experiments.terrain_costs.evaluate import held_out
from vinlab.experiments.terrain_costs.figures import routes_figure as ground_routes_figure
from vinlab.figures import style
from vinlab.figures.cost_map import CostView, cost_figure
from vinlab.figures.paths import paths_figure
from vinlab.figures.save import save_figure
from vinlab.figures.schematics import hierarchical_figure, planning_module_figure, vin_figure
from vinlab.maps import GridMap, Relief, SlopeCurve
from vinlab.models import default_id
from vinlab.navigation.draw import route_figure

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def draw_floor_plan() -> None:
    """A route on a floor plan, by the default model."""
    floor = places.offices(np.random.default_rng(3))
    start, goal = (5, 4), (33, 57)
    floor[4:7, 3:6] = floor[32:35, 56:59] = 0
    route = vinlab.navigate(vinlab.load(default_id(corner_cutting=True)), floor, start, goal)
    save_figure(route_figure(floor, route), IMAGES / "floor.png")


def draw_gallery() -> None:
    """The maps of the gallery, each with the route of the default model."""
    model = vinlab.load(default_id(corner_cutting=True))
    for name in GALLERY:
        problem = gallery_problem(name)
        route = vinlab.navigate(model, problem.obstacles[0], problem.starts[0], problem.goals[0])
        figure = paths_figure(problem, [route.path], [route.optimal_path])
        save_figure(figure, IMAGES / "gallery" / f"{name}.png")


def draw_value_spread() -> None:
    """The figure of the page on the idea."""
    example = runpy.run_path(str(ROOT / "examples" / "watch_value_spread.py"))
    example["main"](str(IMAGES / "value_spread.png"))


def draw_slope_curves() -> None:
    """The factor of both curves, by slope."""
    degrees = np.linspace(-30.0, 30.0, 241)
    figure = style.new_figure(4.6, 3.0)
    axes = style.place(figure, 0.65, 0.2, 3.75, 2.2)
    curves = {"linear": SlopeCurve(), "tobler": SlopeCurve("tobler")}
    for (name, curve), colour in zip(curves.items(), style.LINES, strict=False):
        axes.plot(degrees, curve.factor(degrees), color=colour, linewidth=1.6, label=name)
    axes.set_xlabel("slope in degrees, positive uphill", size=style.LABEL_SIZE, color=style.INK)
    axes.set_ylabel("cost of a level move x", size=style.LABEL_SIZE, color=style.INK)
    axes.tick_params(labelsize=style.TICK_SIZE)
    axes.grid(color=style.CELL_LINE, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=style.LABEL_SIZE)
    save_figure(figure, IMAGES / "slope_curves.png")


def draw_slope_routes() -> None:
    """The ridge of the page, with its ways to the east and back, for two curves."""
    rows, cols = np.indices((60, 60))
    ridge = 2.0 * np.exp(
        -(((cols - 34.0) / np.where(cols < 34, 10.0, 4.0)) ** 2) - (rows - 26.0) ** 2 / 300.0
    )
    west, east, views = (26, 4), (26, 55), []
    for caption, curve in (
        ("linear: uphill 0.1, downhill 0.05 a degree", SlopeCurve()),
        ("Tobler's hiking function", SlopeCurve("tobler")),
    ):
        ground = GridMap(np.zeros(ridge.shape, np.uint8), "", relief=Relief(ridge, curve=curve))
        there, back = (vinlab.plan_on_map(ground, *ends, model=None) for ends in ((west, east), (east, west)))
        paths = {f"to the goal, {there.cost:.1f}": there.path, f"back, {back.cost:.1f}": back.path}
        views.append(CostView(ridge, np.zeros(ridge.shape, bool), caption, west, [east], paths))
    save_figure(cost_figure(views), IMAGES / "slope_routes.png")


def draw_ground() -> None:
    """Routes on pictures that were held out, by the recorded run that learned what ground costs."""
    model = vinlab.load(ROOT / "results" / "runs" / "terrain-costs" / "vin" / "default-paper" / "seed-0")
    figure = ground_routes_figure(model, held_out(model, None), None)
    save_figure(figure, IMAGES / "ground_routes.png")


def draw_schematics() -> None:
    """A VIN, its planning module and a hierarchical VIN as boxes and arrows."""
    for name, draw in (
        ("vin", vin_figure),
        ("planning_module", planning_module_figure),
        ("hierarchical_vin", hierarchical_figure),
    ):
        save_figure(draw(), IMAGES / f"schematic_{name}.png")


@contextmanager
def served_page() -> Iterator[str]:
    """The address of a running server."""
    command = [sys.executable, "-m", "vinlab", "serve", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().split()[3]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=30)


def draw_page() -> None:
    """Screenshots of the page with a random world, on a desktop and on a phone."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("Chromium or Playwright was not found; the screenshots of the page are left unchanged.")
        return
    with served_page() as address, sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        for name, width in (("page", 1280), ("page_phone", 390)):
            page = browser.new_page(viewport={"width": width, "height": 800})
            page.goto(address)
            page.wait_for_timeout(3000)
            page.screenshot(path=str(IMAGES / f"{name}.png"), full_page=True)
        browser.close()


def main() -> None:
    """Draw all figures."""
    IMAGES.mkdir(exist_ok=True)
    for draw in (
        draw_floor_plan,
        draw_gallery,
        draw_value_spread,
        draw_slope_curves,
        draw_slope_routes,
        draw_ground,
        draw_schematics,
        draw_page,
    ):
        draw()
    print(
        f"Written to {IMAGES.relative_to(ROOT)}: {', '.join(sorted(path.name for path in IMAGES.iterdir()))}."
    )


if __name__ == "__main__":
    main()
