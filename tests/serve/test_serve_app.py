"""Every request to the page is checked, and a wrong one gets one sentence."""

import asyncio
import base64
import json

import numpy as np
import pytest

from vinlab.models import Model, load
from vinlab.navigation.routes import navigate
from vinlab.networks.grid.configs import VinConfig
from vinlab.networks.terrain.configs import TerrainVinConfig
from vinlab.planning.exact import cost_to_go
from vinlab.types import InputError

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
from starlette.testclient import TestClient

from vinlab.serve.app import make_app
from vinlab.serve.server import LOCAL, default_models, models_for_page
from vinlab.serve.worker import ClientDisconnected, PlanWorker, QueueFull


@pytest.fixture(scope="module")
def client():
    models = {"m": Model("m", VinConfig(iterations=4, hidden=4).build(), 8, {})}
    with TestClient(make_app(models, hosts=LOCAL), base_url="http://127.0.0.1:8028") as client:
        yield client


@pytest.fixture(scope="module")
def ground_client():
    models = {"g": Model("g", TerrainVinConfig(iterations=4, hidden=4).build(), 16, {})}
    with TestClient(make_app(models, hosts=LOCAL), base_url="http://127.0.0.1:8028") as client:
        yield client


WORLD = {"model": "m", "height": 3, "width": 4, "cells": "000001100000", "start": [0, 0], "goal": [2, 3]}


def ask(client, path="/api/plan", **changes):
    return client.post(path, content=json.dumps(WORLD | changes))


def test_a_plan_has_both_paths_the_reward_and_the_value(client):
    found = ask(client, iterations=7).json()
    assert found["iterations"] == 7
    assert found["optimal"] == pytest.approx(1 + 2 * 2**0.5) or found["optimal"] == pytest.approx(3 + 2**0.5)
    assert found["exact"][0] == [0, 0]
    assert found["exact"][-1] == [2, 3]
    assert found["path"][0] == [0, 0]
    for field in (found["reward"]["shades"], found["value"]["shades"], found["moves"]):
        assert len(base64.b64decode(field)) == 12
    assert ask(client).json()["iterations"] >= 2  # scaled to the map, and more where that helps


def test_a_goal_without_a_path_is_a_response(client):
    found = ask(client, cells="001000100010").json()
    assert found["optimal"] is None
    assert found["exact"] == [[0, 0]]


@pytest.mark.parametrize(
    "changes",
    [
        {"height": 0},
        {"height": -3},
        {"height": 257, "width": 1, "cells": "0" * 257},
        {"height": 3.5},
        {"height": True},
        {"height": "3"},
        {"height": 10**30},
        {"cells": "0"},
        {"cells": "0" * 11 + "2"},
        {"cells": "0" * 11 + "٠"},
        {"cells": None},
        {"cells": [0] * 12},
        {"start": [0]},
        {"start": [0, 9]},
        {"start": [-1, 0]},
        {"start": [0.5, 0]},
        {"start": "0,0"},
        {"start": [1, 1]},
        {"goal": None},
        {"iterations": 0},
        {"iterations": 2001},
        {"iterations": "many"},
        {"model": "../../etc/passwd"},
        {"model": None},
        {"model": "x" * 100_000},
    ],
)
def test_a_wrong_field_is_named(client, changes):
    answer = ask(client, **changes)
    assert answer.status_code == 400
    assert next(iter(changes)) in answer.json()["error"] or "cells" in answer.json()["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"height": NaN}'])
@pytest.mark.parametrize("path", ["/api/plan", "/api/world", "/api/map"])
def test_a_broken_body_is_refused(client, path, body):
    answer = client.post(path, content=body)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")


def test_a_body_that_is_too_large_is_refused_whether_or_not_it_says_so(client):
    assert client.post("/api/map", content=b"0" * (2 * 2**20 + 1)).status_code == 413
    parts = (b"0" * 2**20 for _ in range(3))
    assert client.post("/api/map", content=parts).status_code == 400


def test_foreign_hosts_and_pages_are_refused(client):
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[::1", "localhost@evil.example"):
        assert client.get("/", headers={"host": host}).status_code == 421
    assert client.get("/", headers={"host": "localhost:8028"}).status_code == 200
    assert client.get("/", headers={"host": "[::1]:8028"}).status_code == 200
    foreign = client.post("/api/plan", content="{}", headers={"origin": "http://evil.example"})
    assert foreign.status_code == 403


def test_every_answer_carries_a_strict_policy_and_no_file_but_the_pages_own_is_served(client):
    for path in ("/", "/page.js", "/draw.js", "/page.css", "/icon.svg", "/api/models", "/none"):
        policy = client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    for path in ("/static/page.js", "/../app.py", "/%2e%2e/app.py", "/docs", "/openapi.json"):
        assert client.get(path).status_code == 404


def test_the_page_names_nothing_from_outside(client):
    for path in ("/", "/page.js", "/draw.js", "/page.css"):
        text = client.get(path).text.replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text
        assert "https://" not in text
        assert "style=" not in text


def test_worlds_and_mazes_are_solvable_and_of_the_size_wanted(client):
    for kind, side in (("obstacles", 12), ("maze", 11)):
        body = json.dumps({"kind": kind, "height": 12, "width": 12, "seed": 3})
        world = client.post("/api/world", content=body).json()
        assert (world["height"], world["width"]) == (side, side)
        assert ask(client, **world).json()["optimal"] > 0
    for wrong in ({"kind": "sea"}, {"height": 1}, {"seed": -1}):
        fields = {"kind": "maze", "height": 9, "width": 9, "seed": 0} | wrong
        assert client.post("/api/world", content=json.dumps(fields)).status_code == 400


def test_a_dropped_map_gets_a_start_far_from_its_goal(client):
    body = b"type octile\nheight 2\nwidth 5\nmap\n.....\n.@@@.\n"
    found = client.post("/api/map", content=body).json()
    assert found["cells"] == "0000001110"
    assert (found["start"], found["goal"]) == ([1, 0], [1, 4])
    assert found["corner_cutting"] is False
    assert client.post("/api/map", content=b"P5 300 1 255\n" + b"\xff" * 300).status_code == 400
    assert (
        client.post("/api/map", content=b"P5 2 1 255\n\0\0").json()["error"]
        == "expected a map with a free cell, got none."
    )


def test_a_full_queue_refuses_and_disconnected_clients_are_skipped():
    async def scene():
        worker, done, hold = PlanWorker(queue=2), [], asyncio.Event()

        async def there():
            await hold.wait()
            return False

        async def gone():
            return True

        first = asyncio.create_task(worker.run(lambda: done.append("first"), there))
        await asyncio.sleep(0)
        second = asyncio.create_task(worker.run(lambda: done.append("second"), gone))
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await worker.run(lambda: done.append("third"), there)
        hold.set()
        await first
        with pytest.raises(ClientDisconnected):
            await second
        await worker.run(lambda: done.append("fourth"), there)
        worker.close()
        return done

    assert asyncio.run(scene()) == ["first", "fourth"]


def test_an_unknown_model_is_named():
    with pytest.raises(InputError, match="There is no model"):
        models_for_page(["gridworld/27/vin"])


def test_networks_that_the_page_cannot_show_are_refused():
    with pytest.raises(InputError, match="VINs that plan on one grid, got gridworld/28/hvin"):
        models_for_page(["gridworld/28/hvin"])


def test_the_shipped_vins_are_offered_for_large_maps_first_and_for_images_last():
    offered = default_models()
    on_maps = [model for model in offered if not model.id.startswith("mars/")]
    assert [model.size for model in on_maps] == sorted((model.size for model in on_maps), reverse=True)
    assert offered[: len(on_maps)] == on_maps
    assert {"grid/any", "gridworld/8/vin", "mars/vin"} <= {model.id for model in offered}
    assert not {"gridworld/28/hvin", "rl/8/vin", "control/vin"} & {model.id for model in offered}


def test_a_route_of_the_page_is_that_of_navigate(client):
    obstacles = np.array([[0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]])
    model = Model("m", VinConfig(iterations=4, hidden=4).build(), 8, {})
    with TestClient(make_app({"m": model}, hosts=LOCAL), base_url="http://127.0.0.1:8028") as alone:
        found = ask(alone, corner_cutting=False).json()
    route = navigate(model, obstacles, (0, 0), (2, 3), corner_cutting=False)
    assert found["path"] == route.path.tolist()
    assert found["exact"] == route.optimal_path.tolist()
    assert (found["iterations"], found["cost"], found["optimal"], found["reached"]) == (
        *(route.iterations, route.cost, route.optimal_cost, route.reached),
    )


def test_shades_reach_from_the_least_to_the_greatest(client):
    shades = np.frombuffer(base64.b64decode(ask(client).json()["value"]["shades"]), np.uint8)
    assert shades.min() == 0
    assert shades.max() >= 254


def post(client, path, **fields):
    return client.post(path, content=json.dumps(fields))


def test_a_model_that_looks_plans_on_the_picture_of_made_up_ground(ground_client):
    world = post(ground_client, "/api/world", kind="terrain", height=12, width=16, seed=3).json()
    assert len(world["cells"]) == 12 * 16
    assert len(base64.b64decode(world["image"])) == 12 * 16 * 64
    again = post(ground_client, "/api/world", kind="terrain", height=12, width=16, seed=3).json()
    assert again == world
    asked = {name: world[name] for name in ("height", "width", "cells", "start", "goal", "image")}
    found = post(ground_client, "/api/plan", model="g", **asked).json()
    assert found["iterations"] == 4
    assert found["optimal"] is not None
    assert len(base64.b64decode(found["reward"]["shades"])) == 12 * 16


@pytest.mark.parametrize("image", [None, 5, "", "AAAA", "*" * 16384, "A" * 16])
def test_a_picture_that_does_not_fit_is_refused(ground_client, image):
    answer = post(
        ground_client,
        "/api/plan",
        model="g",
        height=2,
        width=2,
        cells="0000",
        start=[0, 0],
        goal=[1, 1],
        image=image,
    )
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(
        "image: expected 16 x 16 grey pixels of the map, in base64, got "
    )


def test_a_dropped_picture_becomes_ground_that_nobody_judges(ground_client):
    pixels = np.arange(40 * 50, dtype=np.uint8).reshape(40, 50)
    found = ground_client.post("/api/terrain", content=b"P5 50 40 255\n" + pixels.tobytes()).json()
    assert (found["height"], found["width"], found["slopes_known"]) == (5, 6, False)
    seen = np.frombuffer(base64.b64decode(found["image"]), np.uint8).reshape(40, 48)
    assert (seen == pixels[:, :48]).all()
    for broken in (b"", b"P5 9 9 255\n", b"P5 8 8 255\n" + bytes(64)):
        assert ground_client.post("/api/terrain", content=broken).status_code == 400


@pytest.mark.parametrize("kind", ["obstacles", "terrain"])
def test_a_random_world_starts_far_from_its_goal(client, kind):
    for seed in range(5):
        found = post(client, "/api/world", kind=kind, height=16, width=16, seed=seed).json()
        cells = np.array([int(cell) for cell in found["cells"]], np.uint8).reshape(1, 16, 16)
        costs = cost_to_go(cells, np.array([found["goal"]]))[0]
        reachable = np.sort(costs[np.isfinite(costs) & (costs > 0)])
        assert costs[tuple(found["start"])] >= reachable[int(0.85 * len(reachable))]


def test_the_obstacles_of_a_random_world_stand_between_start_and_goal(client):
    """A path that would be the same on an empty map shows nothing of what the network has learned."""
    for seed in range(5):
        found = post(client, "/api/world", kind="obstacles", height=28, width=28, seed=seed).json()
        cells = np.array([int(cell) for cell in found["cells"]], np.uint8).reshape(1, 28, 28)
        goal = np.array([found["goal"]])
        cost, free = (cost_to_go(map, goal)[0][tuple(found["start"])] for map in (cells, 0 * cells))
        assert cost > free + 1


def test_a_cell_without_a_path_does_not_stretch_the_colours_of_the_value():
    models = {"grid/any": load("grid/any")}
    cells = np.zeros((12, 12), int)
    cells[4:7, 4:7] = 1
    cells[5, 5] = 0  # enclosed
    text = "".join(map(str, cells.ravel()))
    world = {"model": "grid/any", "height": 12, "width": 12, "cells": text, "start": [0, 0], "goal": [11, 11]}
    with TestClient(make_app(models, hosts=LOCAL), base_url="http://127.0.0.1:8028") as client:
        value = client.post("/api/plan", content=json.dumps(world)).json()["value"]
    assert value["high"] - value["low"] < 100


def test_the_gallery_holds_ten_worlds_that_can_be_planned(client):
    maps = client.get("/api/gallery").json()["maps"]
    assert len(maps) == 10
    for world in maps:
        fields = {name: world[name] for name in ("height", "width", "cells", "start", "goal")}
        answer = client.post("/api/plan", content=json.dumps({"model": "m", "iterations": 1} | fields))
        assert answer.status_code == 200
        assert answer.json()["optimal"] >= max(world["height"], world["width"])


def test_numbers_beyond_the_scale_of_colours_are_said_to_be(client):
    found = ask(client).json()
    assert {"low", "high", "below", "above"} <= set(found["reward"])
    assert found["value"]["above"] is False
