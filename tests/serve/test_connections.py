"""The page's server with clients that stall, leave or send nonsense, and its end while requests wait."""

import http.client
import json
import signal
import socket
import threading
import time

import pytest

from vinlab.models import Model
from vinlab.networks.grid.configs import VinConfig
from vinlab.types import InputError

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from vinlab.serve import bodies, connections
from vinlab.serve.app import make_app
from vinlab.serve.connections import PageServer
from vinlab.serve.server import LOCAL, _listen, announcement, serve

PLAN = {"model": "m", "height": 3, "width": 4, "cells": "0" * 12, "start": [0, 0], "goal": [2, 3]}
LARGE = {**PLAN, "height": 200, "width": 200, "cells": "0" * 40_000, "goal": [199, 199], "iterations": 300}


class Page:
    """A page in a thread of this process."""

    def __init__(self, **options):
        models = {"m": Model("m", VinConfig(iterations=4, hidden=4).build(), 8, {})}
        app = make_app(models, hosts=LOCAL, body_seconds=0.5, **options)
        listener = _listen("127.0.0.1", 0)
        self.port = listener.getsockname()[1]
        self.server = PageServer(app, app.state.lanes, "listening")
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]}, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def ask(self, fields=PLAN, path="/api/plan", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", path, json.dumps(fields), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def raw(self, data: bytes) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        client.sendall(data)
        return client

    def end(self):
        self.server.handle_exit(signal.SIGINT, None)
        self.thread.join(timeout=30)
        assert not self.thread.is_alive()


@pytest.fixture(scope="module")
def page():
    page = Page()
    assert page.ask()[0] == 200
    yield page
    page.end()


HEAD = b"POST /api/plan HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n"


def test_a_body_that_stalls_is_refused_and_others_are_answered_meanwhile(page):
    stalled = [page.raw(HEAD % 2_000_000 + b"0" * 1000) for _ in range(30)]
    began = time.perf_counter()
    assert page.ask()[0] == 200
    assert time.perf_counter() - began < 5
    found = {client.recv(4096).split()[1] for client in stalled}
    assert found <= {b"408", b"503"}
    assert b"408" in found
    assert all(client.recv(4096) == b"" for client in stalled)  # and closed
    assert page.ask()[0] == 200


def test_bodies_that_are_being_read_have_a_bound():
    most = sum(bodies.MOST_BYTES.values())
    assert most < 20 * 2**20


def test_a_connection_without_a_request_is_closed(page, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    for begun in (b"", b"POST /api/plan HTTP/1.1\r\nhost: 127"):
        assert page.raw(begun).recv(100) == b""


def test_a_client_may_leave_in_the_middle_of_a_body(page, caplog, capfd):
    for _ in range(5):
        page.raw(HEAD % 1000 + b"{").close()
    assert page.ask()[0] == 200
    time.sleep(0.2)
    assert "Traceback" not in caplog.text + capfd.readouterr().err


@pytest.mark.parametrize("origin", ["http://[", "http://]:80", "null", "", "http://evil.example"])
def test_a_strange_origin_is_refused(page, origin):
    assert page.ask(origin=origin)[0] == 403


def test_a_small_plan_does_not_wait_for_a_large_one(page):
    done = []
    large = threading.Thread(target=lambda: done.append(page.ask({**LARGE, "iterations": 900})))
    large.start()
    time.sleep(0.05)
    answered = 0
    while large.is_alive():
        assert page.ask()[0] == 200
        answered += 1
    assert done[0][0] == 200
    assert answered >= 2


def test_an_end_with_requests_in_flight_answers_or_refuses_them(caplog, capfd):
    page, found = Page(), []
    page.ask()
    threads = [threading.Thread(target=lambda: found.append(page.ask(LARGE)[0])) for _ in range(12)]
    for thread in threads:
        thread.start()
    time.sleep(0.3)
    page.end()
    for thread in threads:
        thread.join(timeout=30)
    assert set(found) <= {200, 503}
    assert len(found) == 12
    assert "Traceback" not in caplog.text + capfd.readouterr().err


def test_another_machine_may_ask_by_address_if_the_page_is_for_all():
    page = Page(any_address=True)
    try:
        assert page.ask(host="192.168.1.7:8028")[0] == 200
        assert page.ask(host="[fe80::1]:8028")[0] == 200
        status, answer = page.ask(host="evil.example")
        assert status == 421
        assert "--host" in answer["error"]
        assert "numbers" in answer["error"]
    finally:
        page.end()


def test_where_the_page_is_and_who_can_reach_it_is_said():
    assert announcement("127.0.0.1", 80) == "Watch it plan: http://127.0.0.1:80/ (Ctrl-C ends it)"
    assert "http://[::1]:80/" in announcement("::1", 80)
    assert "Every machine" in announcement("0.0.0.0", 80)
    for host in ("", "  "):
        with pytest.raises(InputError, match="--host: expected an address, got none"):
            serve({}, host=host, port=0)


@pytest.mark.parametrize("host", ["a\0b", "\udc80", "x" * 5000])
def test_a_host_that_cannot_be_a_name_is_one_sentence(host):
    with pytest.raises(InputError) as refusal:
        _listen(host, 0)
    assert len(str(refusal.value)) < 200
    assert str(refusal.value).isprintable()
