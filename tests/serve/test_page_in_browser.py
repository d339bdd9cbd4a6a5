"""The page in a real browser: draw a wall, drag the goal, move the slider, drop a file, follow a link."""

import locale
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from vinlab.domains.gridworld.gallery import GALLERY
from vinlab.models import shipped_ids

playwright = pytest.importorskip("playwright.sync_api")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (apt-get install chromium)"),
    pytest.mark.skipif("gridworld/28/vin" not in shipped_ids(), reason="the weights are not shipped yet"),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]
SHOTS = os.environ.get("VINLAB_SCREENSHOTS")
"""A folder for screenshots, for people to look at."""


@pytest.fixture(scope="module")
def server():
    """A page of its own process; Ctrl-C must end it cleanly."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "vinlab", "serve", "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    yield line.split()[3]
    process.send_signal(signal.SIGINT)
    last, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert last.strip() == "The page is closed."
    assert [line for line in said.splitlines() if not line.startswith("Kernels are compiled")] == []


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser, server):
    """The page with an empty world of 28 x 28, planned; errors of its code fail the test."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(server)
    wait_until(page, "document.documentElement.dataset.plans >= 1")
    act(page, lambda: page.click("#clear"))
    yield page
    page.close()
    assert [fault for fault in faults if "400" not in fault] == []


def wait_until(page, condition: str) -> None:
    """Wait for something on the page; its policy forbids the browser's own way of waiting, which is eval."""
    for _ in range(1200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(25)
    raise AssertionError(f"in vain: {condition}")


def plans(page) -> int:
    return int(page.evaluate("Number(document.documentElement.dataset.plans ?? 0)"))


def act(page, action) -> None:
    """Do something, and wait until at least one plan has followed and no more come."""
    before = plans(page)
    action()
    wait_until(page, f"document.documentElement.dataset.plans > {before}")
    settled = -1
    while settled != (settled := plans(page)):
        page.wait_for_timeout(150)


def drag(page, cells, *, steps=6) -> None:
    """Press in the first cell of a 28 x 28 map and move through the others."""
    box = page.locator("#map").bounding_box()
    places = [
        (box["x"] + (col + 0.5) * box["width"] / 28, box["y"] + (row + 0.5) * box["height"] / 28)
        for row, col in cells
    ]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=steps)
    page.mouse.up()


def cost(page) -> str:
    return page.inner_text("#cost")


def shot(page, name) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def test_drawing_a_wall_and_dragging_the_goal_change_the_path(page):
    assert page.inner_text("#optimal") == "35.36"
    act(page, lambda: drag(page, [(14, 3), (14, 24)]))
    assert float(page.inner_text("#optimal")) > 36
    walled = cost(page)
    act(page, lambda: drag(page, [(26, 26), (4, 22)]))
    assert cost(page) != walled
    assert float(page.inner_text("#optimal")) < 30


def test_the_slider_shows_the_value_spreading(page):
    act(page, lambda: page.select_option("#model", "gridworld/28/vin"))
    high, own = page.inner_text("#value-high"), page.inner_text("#k-shown")
    act(page, lambda: page.evaluate("k.value = 2; k.dispatchEvent(new Event('input'))"))
    assert page.inner_text("#k-shown") == "2"
    assert page.inner_text("#value-high") != high
    act(page, lambda: page.click("#k-auto"))
    assert page.inner_text("#k-shown") == own
    before = plans(page)
    page.click("#play")
    wait_until(page, f"document.documentElement.dataset.plans >= {before + 8}")
    page.click("#play")


def test_the_slider_of_a_search_shows_what_is_known_around_the_goal(page):
    assert page.input_value("#model") == "grid/any"
    assert page.inner_text("#k-name") == "Known within cost"
    picture, before = page.evaluate("value.toDataURL()"), plans(page)
    everything = float(page.inner_text("#k-shown"))
    page.evaluate("k.value = 51; k.dispatchEvent(new Event('input'))")
    assert float(page.inner_text("#k-shown")) == pytest.approx(everything / 5, rel=0.01)
    assert page.evaluate("value.toDataURL()") != picture
    page.click("#play")
    wait_until(page, "play.textContent.includes('Play') && Number(k.value) === 255")
    assert page.evaluate("value.toDataURL()") == picture
    assert plans(page) == before


def test_the_planner_goes_with_the_rule_for_corners(page):
    act(page, lambda: page.click("#corners"))
    assert page.input_value("#model") == "grid/strict"
    assert "shortest path" in page.inner_text("#verdict")
    act(page, lambda: page.select_option("#model", "grid/any"))
    assert page.is_checked("#corners")


def test_a_dropped_file_becomes_the_map_and_a_broken_one_a_sentence(page, tmp_path):
    (tmp_path / "my.map").write_text("type octile\nheight 3\nwidth 5\nmap\n.....\n.@@@.\n.....\n")
    drop = """async ([name, text]) => {
        const files = new DataTransfer();
        files.items.add(new File([text], name));
        dispatchEvent(new DragEvent("drop", {dataTransfer: files, cancelable: true}));
    }"""
    act(page, lambda: page.evaluate(drop, ["my.map", (tmp_path / "my.map").read_text(encoding="utf-8")]))
    assert page.inner_text("#optimal") == "6.00"
    page.evaluate(drop, ["bad.png", "hello"])
    wait_until(page, "message.textContent.includes('got another format')")


def test_a_shared_link_shows_the_same_world(page, browser):
    act(page, lambda: drag(page, [(10, 4), (10, 20), (20, 20)]))
    page.wait_for_timeout(100)
    other = browser.new_page()
    other.goto(page.url)
    wait_until(other, "document.documentElement.dataset.plans >= 1")
    other.wait_for_timeout(300)
    assert cost(other) == cost(page)
    assert other.inner_text("#optimal") == page.inner_text("#optimal") != "35.36"
    other.close()


def test_quick_clicks_leave_a_page_that_works_and_claims_nothing_about_another_world(page, browser):
    clicks = random.Random(0)
    actions = [
        *(lambda size=size: page.select_option("#size", size) for size in ("100", "8", "28", "64")),
        *(lambda button=button: page.click(button) for button in ("#maze", "#random", "#clear", "#corners")),
        lambda: drag(page, [(2, 2), (5, 5)], steps=1),
    ]
    for first in (0, 4, 1):  # size 100, a maze, size 8
        actions[first]()
    for _ in range(40):
        clicks.choice(actions)()
        if clicks.random() < 0.2:
            page.wait_for_timeout(clicks.randrange(120))
    settled = -1
    while settled != (settled := plans(page)):
        page.wait_for_timeout(700)
    other = browser.new_page()
    other.goto(page.url)
    wait_until(other, "document.documentElement.dataset.plans >= 1 && optimal.textContent !== ''")
    assert other.inner_text("#optimal") == page.inner_text("#optimal")
    assert other.inner_text("#verdict") == page.inner_text("#verdict") != ""
    other.close()
    act(page, lambda: page.select_option("#size", "28"))
    act(page, lambda: page.click("#clear"))
    assert page.inner_text("#optimal") == "35.36"


def test_keys_draw_and_move_the_goal(page):
    page.focus("#map")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    act(page, lambda: page.keyboard.press("Space"))
    assert float(page.inner_text("#optimal")) > 35.4
    page.keyboard.press("ArrowRight")
    act(page, lambda: page.keyboard.press("g"))
    assert float(page.inner_text("#optimal")) == pytest.approx(1 + 2**0.5, abs=0.01)


def drag_for(page, seconds: float) -> tuple[float, float]:
    """Drag the goal through ever new cells; moves and plans a second come back."""
    box = page.locator("#map").bounding_box()
    side = box["width"] / 28
    page.mouse.move(box["x"] + 26.5 * side, box["y"] + 26.5 * side)
    page.mouse.down()
    first, began, moves = plans(page), time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        moves += 1
        page.mouse.move(box["x"] + (26.5 - moves % 20) * side, box["y"] + (26.5 - moves // 20 % 20) * side)
    took = time.perf_counter() - began
    found = plans(page) - first
    page.mouse.up()
    act(page, lambda: page.click("#clear"))
    return moves / took, found / took


def test_replanning_keeps_up_with_the_mouse(page):
    """At least 20 plans a second, end to end; where a busy machine brings fewer moves, a plan for nearly each."""
    rates = []
    for _ in range(4):
        moves, found = drag_for(page, 1.0)
        rates.append(f"{found:.1f} plans for {moves:.1f} moves a second")
        if found >= min(20, 0.7 * moves):
            return
    raise AssertionError("; ".join(rates))


def test_nothing_overflows_on_a_phone(browser, server):
    page = browser.new_page(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    page.goto(server)
    wait_until(page, "document.documentElement.dataset.plans >= 1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "phone")
    page.close()


def test_the_desktop_page_shows_three_panels_side_by_side(page):
    act(page, lambda: page.click("#random"))
    tops = {page.locator(f"#{name}").bounding_box()["y"] for name in ("map", "reward", "value")}
    assert len(tops) == 1
    shot(page, "desktop")


def settled(page) -> None:
    """Wait until nothing is being planned."""
    wait_until(page, "document.documentElement.dataset.planning === 'false'")
    page.wait_for_timeout(60)
    wait_until(page, "document.documentElement.dataset.planning === 'false'")


def agrees(page) -> bool:
    """Whether the verdict belongs to the map that is shown: the same question again gives the same answer."""
    answer, shown = answer_and_shown(page)
    return answer == shown


def answer_and_shown(page) -> tuple[list[str], list[str]]:
    """The lengths in the answer to the question that the link holds, and those on the page."""
    return page.evaluate("""async () => {
        const state = new URLSearchParams(location.hash.slice(1));
        const [height, width] = state.get("size").split("x").map(Number);
        const bits = atob(state.get("walls").replaceAll("-", "+").replaceAll("_", "/"));
        const cells = Array.from({length: height * width}, (_, i) => (bits.charCodeAt(i >> 3) >> (i & 7)) & 1).join("");
        const cell = (name) => state.get(name).split(",").map(Number);
        const body = {model: state.get("model"), height, width, cells, start: cell("start"), goal: cell("goal"),
            iterations: state.get("k") ? Number(state.get("k")) : null, corner_cutting: state.get("corners") === "1"};
        const plan = await (await fetch("/api/plan", {method: "POST", body: JSON.stringify(body)})).json();
        const optimal = plan.optimal === null ? "no path exists" : plan.optimal.toFixed(2);
        const cost = plan.reached ? plan.cost.toFixed(2) : `stops after ${plan.path.length - 1} steps`;
        const shown = (id) => document.getElementById(id).textContent;
        return [[optimal, cost], [shown("optimal"), shown("cost")]];
    }""")


def test_quick_clicks_do_not_freeze_the_page(page):
    page.select_option("#size", "100")
    page.click("#maze")
    page.select_option("#size", "8")
    page.click("#random")
    settled(page)
    assert agrees(page)
    act(page, lambda: page.click("#clear"))
    assert page.inner_text("#verdict") == "✓ Goal reached by a shortest path."


def random_action(page, rng) -> None:
    """One click, key, stroke or drop of many, without waiting for its plan."""
    box = page.locator("#map").bounding_box()
    places = [
        (box["x"] + rng.random() * box["width"], box["y"] + rng.random() * box["height"]) for _ in range(3)
    ]

    def stroke():
        page.mouse.move(*places[0])
        page.mouse.down()
        for place in places[1:]:
            page.mouse.move(*place, steps=3)
        page.mouse.up()

    def drop():
        side = rng.integers(3, 30)
        text = f"type octile\nheight {side}\nwidth {side}\nmap\n" + ("." * side + "\n") * side
        page.evaluate(
            """(text) => {
                const files = new DataTransfer();
                files.items.add(new File([text], "a.map"));
                dispatchEvent(new DragEvent("drop", {dataTransfer: files, cancelable: true}));
            }""",
            text,
        )

    actions = [
        stroke,
        stroke,
        drop,
        *(lambda name=name: page.click(f"#{name}") for name in ("random", "maze", "clear")),
        lambda: page.select_option("#size", str(rng.choice([8, 16, 28, 48]))),
        lambda: page.select_option("#model", str(rng.choice(["grid/any", "gridworld/16/vin"]))),
        lambda: page.click("#corners"),
        lambda: page.click("#play"),
        lambda: page.click(f"#gallery li:nth-child({rng.integers(1, 11)}) a"),
        lambda: page.keyboard.press(str(rng.choice(["r", "m", "+", "-", "Control+z"]))),
    ]
    chosen = actions[rng.integers(len(actions))]
    try:
        chosen()
    except playwright.TimeoutError as error:  # a disabled button
        raise AssertionError("a click was not possible") from error


def test_random_quick_clicks_leave_no_stale_verdict(page):
    rng = np.random.default_rng(0)
    for _ in range(int(os.environ.get("VINLAB_CLICK_ROUNDS", "6"))):
        for _ in range(5):
            random_action(page, rng)
        # In one step: a play that ends by itself in between would be started again by the click.
        page.evaluate("play.textContent.includes('Pause') && play.click()")
        settled(page)
        answer, shown = answer_and_shown(page)
        assert answer == shown, page.url


def test_a_drawing_survives_a_change_of_size_and_undo_takes_back(page):
    act(page, lambda: drag(page, [(14, 3), (14, 24)]))
    walls = "[...new URLSearchParams(location.hash.slice(1)).get('walls')].filter((l) => l !== 'A').length"
    page.wait_for_timeout(100)
    drawn, length = page.evaluate(walls), cost(page)
    act(page, lambda: page.select_option("#size", "48"))
    page.wait_for_timeout(100)
    assert page.evaluate(walls) > 0
    act(page, lambda: page.click("#undo"))
    page.wait_for_timeout(100)
    assert (page.evaluate(walls), cost(page)) == (drawn, length)
    act(page, lambda: page.keyboard.press("Control+z"))
    assert page.inner_text("#optimal") == "35.36"


def test_the_same_file_can_be_opened_twice(page, tmp_path):
    file = tmp_path / "my.map"
    file.write_text("type octile\nheight 3\nwidth 5\nmap\n.....\n.@@@.\n.....\n")
    for _ in range(2):
        act(page, lambda: page.set_input_files("#file", str(file)))
        assert page.inner_text("#optimal") == "6.00"
        assert page.evaluate("message.dataset.kind") == "note"
        assert page.inner_text("#message").startswith("Opened my.map.")
        act(page, lambda: page.click("#clear"))


def test_play_is_pause_for_screen_readers_while_it_plays(page):
    page.click("#play")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    page.click("#play")
    assert page.get_attribute("#play", "aria-label") == "Play the backups"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser, server, scheme):
    if locale.getpreferredencoding(False).upper() != "UTF-8":
        pytest.skip("axe_playwright_python reads its own script in the encoding of the locale")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = browser.new_page(color_scheme=scheme)
    page.goto(server)
    wait_until(page, "document.documentElement.dataset.plans >= 1")
    faults = axe.run(page).response["violations"]
    page.close()
    serious = [fault for fault in faults if fault["impact"] in ("serious", "critical")]
    assert [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in serious] == []


@pytest.mark.parametrize("name", list(GALLERY))
def test_a_link_opens_a_map_of_the_gallery(page, server, name):
    act(page, lambda: page.click(f"#gallery a[href='#map={name}']"))
    settled(page)
    assert page.inner_text("#message").startswith(f"{GALLERY[name].about}: ")
    assert page.inner_text("#verdict") == "✓ Goal reached by a shortest path."
    assert agrees(page)


def test_the_size_of_a_map_that_is_no_square_is_shown(page):
    act(page, lambda: page.click("#gallery a[href='#map=cave']"))
    assert page.evaluate("size.selectedOptions[0].textContent") == "64 × 88"
    act(page, lambda: page.click("#random"))
    assert page.evaluate("size.selectedOptions[0].textContent") == "88 × 88"
    act(page, lambda: page.select_option("#size", "28"))
    assert page.evaluate("[...size.options].map((one) => one.value).join()") == "8,16,28,48,64,100"
    act(page, lambda: page.click("#maze"))  # of 27 x 27 cells
    assert page.input_value("#size") == "28"


def test_a_link_to_the_gallery_works_from_elsewhere(browser, server):
    page = browser.new_page()
    page.goto(f"{server}#map=cave")
    wait_until(page, "document.documentElement.dataset.plans >= 1")
    assert page.inner_text("#message") == "A cave: 64 × 88 cells."
    shot(page, "gallery")
    page.close()


def test_from_an_image_a_link_to_the_gallery_chooses_a_model_for_maps(page):
    act(page, lambda: page.select_option("#model", "mars/vin"))
    act(page, lambda: page.click("#gallery a[href='#map=maze']"))
    assert page.input_value("#model") != "mars/vin"
    assert page.inner_text("#verdict") == "✓ Goal reached by a shortest path."


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("#map=moon", "The gallery has no map “moon”."),
        ("#size=8x8&walls=%25&start=1,1", "The link is damaged."),
    ],
)
def test_a_wrong_link_says_so_until_another_world_comes(page, browser, server, link, sentence):
    other = browser.new_page()
    other.goto(f"{server}{link}")
    wait_until(other, "document.documentElement.dataset.plans >= 1")
    settled(other)
    assert other.inner_text("#message") == f"{sentence} A random world is shown instead."
    other.close()
    before = page.inner_text("#verdict")
    page.evaluate(f"location.hash = {link!r}")
    wait_until(page, f"message.textContent === {sentence!r}")
    assert page.inner_text("#verdict") == before
    act(page, lambda: page.click("#random"))
    assert page.inner_text("#message") == ""


def test_the_page_says_that_it_works_while_a_world_is_made(page):
    page.route("**/api/world", lambda route: (page.wait_for_timeout(300), route.continue_()))
    page.evaluate("document.getElementById('random').click()")
    assert page.evaluate("document.documentElement.dataset.planning") == "true"
    settled(page)
    assert agrees(page)
