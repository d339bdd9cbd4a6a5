"""The server under load: plans per second with eight clients, and minutes of valid, malformed and oversize requests.

``python benchmarks/serve.py`` measures for 10 seconds; ``--minutes 5`` adds the long run. Prints JSON.
"""

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

CLIENTS, SIDE, BACKUPS = 8, 28, 36


def start_server(stderr: Any = None) -> tuple[subprocess.Popen[str], int]:
    """A server on a free loopback port, with one thread per library."""
    command = [sys.executable, "-m", "vinlab", "serve", "--port", "0", "--model", "gridworld/28/vin"]
    server = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert server.stdout is not None
    address = server.stdout.readline().split()[3]
    return server, int(address.rstrip("/").rsplit(":", 1)[1])


def good_bodies(count: int) -> list[bytes]:
    """Random worlds as valid requests."""
    from vinlab.domains.gridworld.problem import GridworldConfig, sample_problems

    problems = sample_problems(GridworldConfig(size=SIDE), count, rng=np.random.default_rng(0))
    return [
        json.dumps(
            {
                "model": "gridworld/28/vin",
                "height": SIDE,
                "width": SIDE,
                "cells": "".join(map(str, problems.obstacles[index].ravel())),
                "start": problems.starts[index].tolist(),
                "goal": problems.goals[index].tolist(),
                "iterations": BACKUPS,
            }
        ).encode()
        for index in range(count)
    ]


BAD = [b"", b"{", b"[]", b'{"height": -1}', b"\xff" * 1000, b"0" * (2 * 2**20 + 1), b"[" * 50_000]


def client(
    port: int, bodies: list[bytes], until: float, invalid_share: float, out: list[tuple[bool, int, float]]
) -> None:
    """Send requests until the time is over; a share of them is invalid."""
    choice = random.Random(threading.get_ident())
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while time.perf_counter() < until:
        good = choice.random() >= invalid_share
        body = choice.choice(bodies if good else BAD)
        began = time.perf_counter()
        try:
            connection.request("POST", "/api/plan", body)
            answer = connection.getresponse()
            answer.read()
            status = answer.status
        except (OSError, http.client.HTTPException):
            status = 0  # a server may close the connection on a body that it refuses
            connection.close()
        out.append((good, status, time.perf_counter() - began))
    connection.close()


def load(
    port: int, bodies: list[bytes], seconds: float, invalid_share: float
) -> list[tuple[bool, int, float]]:
    """The responses to all clients."""
    responses: list[list[tuple[bool, int, float]]] = [[] for _ in range(CLIENTS)]
    until = time.perf_counter() + seconds
    threads = [
        threading.Thread(target=client, args=(port, bodies, until, invalid_share, out)) for out in responses
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [entry for out in responses for entry in out]


def memory(pid: int) -> int:
    """Resident memory of a process in kB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


def processor_seconds(pid: int) -> float:
    """CPU time of a process so far; other programs hardly affect it."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def summary(entries: list[tuple[bool, int, float]], seconds: float) -> dict[str, Any]:
    times = np.array([took for good, status, took in entries if good and status == 200]) * 1000
    return {
        "plans_per_second": round(len(times) / seconds, 1),
        "milliseconds_median": round(float(np.median(times)), 1),
        "milliseconds_95": round(float(np.percentile(times, 95)), 1),
        "good_requests": sum(good for good, _, _ in entries),
        "good_requests_unanswered": sum(good and status != 200 for good, status, _ in entries),
        "bad_requests": sum(not good for good, _, _ in entries),
        "bad_requests_accepted": sum(not good and status == 200 for good, status, _ in entries),
        "server_errors": sum(status == 500 for _, status, _ in entries),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--minutes", type=float, default=0.0)
    options = parser.parse_args()
    bodies = good_bodies(200)
    server, port = start_server()
    try:
        load(port, bodies, 2.0, 0.0)
        found: dict[str, Any] = {"cores": os.cpu_count(), "clients": CLIENTS, "size": SIDE, "K": BACKUPS}
        spent = processor_seconds(server.pid)
        seen = load(port, bodies, options.seconds, 0.0)
        spent = processor_seconds(server.pid) - spent
        found["plain"] = summary(seen, options.seconds)
        found["plain"]["server_cpu_milliseconds_per_plan"] = round(1000 * spent / len(seen), 2)
        if options.minutes:
            load(port, bodies, 10.0, 0.3)
            before = memory(server.pid)
            mixed = summary(load(port, bodies, 60 * options.minutes, 0.3), 60 * options.minutes)
            found["mixed"] = {**mixed, "memory_growth_kb": memory(server.pid) - before, "memory_kb": before}
        print(json.dumps(found))
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=30)


if __name__ == "__main__":
    main()
