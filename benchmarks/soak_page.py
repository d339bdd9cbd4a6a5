"""The page under mixed load for minutes: good, malformed and oversize requests, stalled uploads, broken clients.

``python benchmarks/soak_page.py --minutes 10 --out results/reliability/page.json`` starts a server on 127.0.0.1 and
records what it did. It fails if a good request stays without an answer, the server's memory grows by more than 50 MB,
or fewer than ``--plans`` plans a second are made.
"""

import argparse
import json
import os
import random
import signal
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from record import write_record
from serve import good_bodies, load, memory, start_server, summary

STALLED, BROKEN = 24, 4
"""Connections that send a part of a request and wait, and clients that send nonsense or leave."""

MOST_GROWTH_KB = 50 * 1024

HEAD = b"POST /api/plan HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: %d\r\n\r\n"
BEGINNINGS = (
    b"", b"POST /api/pl", HEAD % 2_000_000 + b"0" * 60_000, HEAD % 9000 + b"{", HEAD % 2_000_000,
    b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n",
)  # fmt: skip
NONSENSE = (
    b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 500, HEAD % 500 + b"{", b"POST " + b"a" * 70_000,
    b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: http://[\r\n\r\n", b"POST /api/map HTTP/1.1\r\nhost: [\r\n\r\n",
)  # fmt: skip


def stall(port: int, until: float, seed: int) -> None:
    """Begin a request, send no more, and begin another when the server has closed the connection."""
    choice = random.Random(seed)
    while time.perf_counter() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(choice.choice(BEGINNINGS))
            client.settimeout(max(0.1, min(30.0, until - time.perf_counter())))
            while client.recv(4096):
                pass


def break_off(port: int, until: float, seed: int) -> None:
    """Send nonsense, or leave in the middle of a request."""
    choice = random.Random(seed)
    while time.perf_counter() < until:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(choice.choice(NONSENSE))
            if choice.random() < 0.5:
                client.settimeout(1.0)
                client.recv(4096)
        time.sleep(0.05)


def soak(port: int, pid: int, minutes: float) -> dict[str, Any]:
    """The summary of the load, with the growth of memory after its first tenth."""
    bodies, seconds = good_bodies(200), 60 * minutes
    until = time.perf_counter() + 1.1 * seconds
    others = [
        threading.Thread(target=work, args=(port, until, seed), daemon=True)
        for work, count in ((stall, STALLED), (break_off, BROKEN))
        for seed in range(count)
    ]
    for thread in others:
        thread.start()
    load(port, bodies, 0.1 * seconds, 0.3)
    before = memory(pid)
    found = summary(load(port, bodies, seconds, 0.3), seconds)
    return {**found, "memory_kb": before, "memory_growth_kb": memory(pid) - before, "minutes": minutes}


def faults(found: dict[str, Any], plans: float) -> list[str]:
    """What was not kept."""
    kept = {
        "good requests unanswered": found["good_requests_unanswered"] == 0,
        "bad requests accepted": found["bad_requests_accepted"] == 0,
        "server errors": found["server_errors"] == 0,
        f"memory grew by more than {MOST_GROWTH_KB} kB": found["memory_growth_kb"] <= MOST_GROWTH_KB,
        f"fewer than {plans:g} plans a second": found["plans_per_second"] >= plans,
        "tracebacks": not found["tracebacks"],
        "no clean end": found["exit_code"] == 0,
    }
    return [fault for fault, holds in kept.items() if not holds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--plans", type=float, default=200.0, help="plans a second that must be kept")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    load_before = round(os.getloadavg()[0], 2)
    with open(os.devnull if options.out is None else options.out.with_suffix(".log"), "w+") as log:
        server, port = start_server(stderr=log)
        try:
            found = soak(port, server.pid, options.minutes)
        finally:
            server.send_signal(signal.SIGINT)
            found_end = server.wait(timeout=60)
        log.seek(0)
        found |= {"exit_code": found_end, "tracebacks": log.read().count("Traceback")}
    found |= {"stalled_clients": STALLED, "broken_clients": BROKEN}
    found["faults"] = faults(found, options.plans)
    print(json.dumps(found))
    if options.out is not None:
        options.out.with_suffix(".log").unlink()
        name = f"benchmarks/soak_page.py --minutes {options.minutes:g}"
        write_record(options.out, name, found, load_before)
    raise SystemExit("; ".join(found["faults"]) or 0)


if __name__ == "__main__":
    main()
