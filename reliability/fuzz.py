"""Hostile files, options and requests for every reader, command and request: ``python -m reliability.fuzz``.

Each case runs in a process of its own, in 1 GB and 20 s, and must end in a result or in one sentence.
"""

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reliability import bombs, costs, datasets, many_parts, maps, options, requests, runs, sites, terrain
from reliability.cases import Case
from reliability.sandbox import BAD, GOOD, MEMORY, SECONDS, Outcome, run_cases

SOURCES = {
    "maps": 0.26, "runs": 0.16, "options": 0.16, "requests": 0.1, "sites": 0.1, "terrain": 0.04, "costs": 0.08,
    "datasets": 0.1,
}  # fmt: skip
"""The modules that make cases, and their share."""
MODULES: dict[str, Any] = {
    "maps": maps,
    "runs": runs,
    "options": options,
    "requests": requests,
    "sites": sites,
    "terrain": terrain,
    "costs": costs,
    "datasets": datasets,
}


def make_cases(count: int, seed: int, *, long: bool) -> list[Case]:
    """So many cases, about; the same for the same seed."""
    cases: list[Case] = []
    for number, (name, share) in enumerate(SOURCES.items()):
        if share:
            cases += MODULES[name].cases(np.random.default_rng([seed, number]), max(1, int(share * count)))
    if long:
        cases += bombs.largest_maps()
        cases += many_parts.cases()
    order = np.random.default_rng(seed).permutation(len(cases))
    return [cases[place] for place in order]


def warm_up() -> None:
    """Load what the cases need before the first fork, so that none pays for it."""
    import torch

    import vinlab.cli.evaluate
    import vinlab.cli.fit
    import vinlab.cli.plan
    import vinlab.cli.table
    import vinlab.cli.train
    import vinlab.navigation.routes

    torch.set_num_threads(1)
    for name, share in SOURCES.items():
        if share and hasattr(MODULES[name], "warm_up"):
            MODULES[name].warm_up()
    assert vinlab.cli


def watched(outcomes: Iterator[Outcome], total: int) -> Iterator[Outcome]:
    """Name each bad outcome as it comes."""
    started = time.monotonic()
    for number, outcome in enumerate(outcomes, start=1):
        if outcome.kind in BAD:
            print(
                f"{outcome.kind.upper()}: {outcome.case.group}: {outcome.case.name}\n{outcome.note}\n",
                flush=True,
            )
        if number % 200 == 0:
            print(
                f"{number} of {total} after {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True
            )
        yield outcome


def summary(outcomes: Sequence[Outcome], seconds: float, options: argparse.Namespace) -> dict[str, Any]:
    """Counts by class, for each group and for all."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        groups[outcome.case.group][outcome.kind] += 1
    kinds = (*GOOD, *BAD)
    return {
        "cases": len(outcomes),
        "seed": options.seed,
        "seconds": round(seconds, 1),
        "jobs": options.jobs,
        "limit_bytes": MEMORY,
        "limit_processor_seconds": options.seconds,
        "largest_memory_bytes": max(outcome.memory for outcome in outcomes),
        "longest_processor_seconds": round(max(outcome.seconds for outcome in outcomes), 2),
        "classes": {kind: sum(group[kind] for group in groups.values()) for kind in kinds},
        "groups": {
            name: {kind: group[kind] for kind in kinds if group[kind]}
            for name, group in sorted(groups.items())
        },
    }


def print_summary(found: dict[str, Any]) -> None:
    """A line for each group and one for all."""
    for name, counts in (*found["groups"].items(), ("all", found["classes"])):
        print(f"{name:32} {', '.join(f'{count} {kind}' for kind, count in counts.items())}")


def main() -> None:
    """Run the cases, print the counts by class, and record them where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=2200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="cases side by side")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit of a case")
    parser.add_argument("--sample", type=int, help="so many of the cases alone, drawn at random")
    parser.add_argument("--only", choices=SOURCES, help="cases of one kind alone")
    parser.add_argument("--record", type=Path, help="file for the counts, as JSON")
    options = parser.parse_args()
    if options.only:
        for name in SOURCES:
            SOURCES[name] = float(name == options.only)
    warm_up()
    cases = make_cases(options.cases, options.seed, long=not (options.only or options.sample))[
        : options.sample
    ]
    started = time.monotonic()
    outcomes = list(watched(run_cases(cases, jobs=options.jobs, seconds=options.seconds), len(cases)))
    found = summary(outcomes, time.monotonic() - started, options)
    print_summary(found)
    if options.record:
        from reliability.record import write_record

        write_record(options.record, "python -m reliability.fuzz", found)
    sys.exit(any(found["classes"][kind] for kind in BAD))


if __name__ == "__main__":
    main()
