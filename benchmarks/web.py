"""How training a VIN that plans on a smaller site scales with the large one: samples a second and peak memory.

Each size runs in its own process, so that its peak memory is its own. Sites are written to a temporary folder.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (5_000, 50_000, 500_000, 4_800_000)
PLANNING_PAGES = 4600
"""Of the smaller site, at every size: the school encyclopedia has about as many."""
QUERIES = 20_000


def make(folder: Path, pages: int) -> None:
    import numpy as np

    from vinlab.domains.web.large_site import LargeSiteConfig, write_large_site

    write_large_site(folder, LargeSiteConfig(pages=pages, queries=QUERIES), rng=np.random.default_rng(0))


def measure(folder: Path, updates: int, threads: int) -> dict[str, float]:
    import numpy as np
    import torch

    from vinlab.domains.web.demonstrations import ClickDemonstrations
    from vinlab.domains.web.expert import paths_from
    from vinlab.domains.web.large_site import make_planning_site, open_large_site
    from vinlab.domains.web.problem import start_at_root
    from vinlab.experiments.web.scale.data import planning_view
    from vinlab.learners.losses import LinkLoss
    from vinlab.networks.links.configs import SoftmaxVinConfig

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    started = time.perf_counter()
    site = open_large_site(folder)
    problems = start_at_root(site, np.arange(len(site.queries)))
    steps = paths_from(site.full, 0, problems.targets)
    demonstrations = ClickDemonstrations(site, site.full, problems, steps)
    view = planning_view(site, make_planning_site(site, PLANNING_PAGES, rng=np.random.default_rng(0)))
    loss = LinkLoss(SoftmaxVinConfig(iterations=5, dimension=view.dimension).build(), view)
    optimiser = torch.optim.Adam(loss.parameters(), lr=1e-3)
    ready = time.perf_counter()
    order = torch.from_numpy(np.random.default_rng(1).permutation(len(demonstrations)))
    seconds, processor, samples = [], [], []
    for chosen in order.split(128)[: updates + 2]:
        update_started, processor_started = time.perf_counter(), time.process_time()
        optimiser.zero_grad()
        (loss(demonstrations[chosen]) / 128).backward()
        optimiser.step()
        seconds.append(time.perf_counter() - update_started)
        processor.append(time.process_time() - processor_started)
        samples.append(float(demonstrations.weights[chosen].sum()))
    # The median is robust to other work on the machine; the first two updates are warm-up.
    rate, processor_rate = (float(np.median(np.divide(samples, spent)[2:])) for spent in (seconds, processor))
    return {
        "pages": site.num_pages,
        "planning_pages": PLANNING_PAGES,
        "links": len(site.full),
        "links_per_sample": float(site.full.counts(demonstrations.steps.pages).mean()),
        "hops": float(demonstrations.weights.mean()),
        "setup_seconds": round(ready - started, 2),
        "samples_per_second": round(rate, 1),
        "samples_per_processor_second": round(processor_rate, 1),
        "peak_memory_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 3),
    }


def run_size(pages: int, folder: Path, arguments: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--folder", str(folder), "--threads", str(arguments.threads)]
    subprocess.run([*command, "--make", str(pages)], check=True)
    on_disk = sum(path.stat().st_size for path in folder.iterdir())
    measured = subprocess.run(
        [*command, "--updates", str(arguments.updates)], check=True, capture_output=True, text=True
    )
    return {**json.loads(measured.stdout), "disk_gb": round(on_disk / 2**30, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--updates", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--make", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.make:
        return make(arguments.folder, arguments.make)
    if arguments.folder:
        return print(json.dumps(measure(arguments.folder, arguments.updates, arguments.threads)))
    results = []
    for pages in arguments.sizes:
        folder = Path(tempfile.mkdtemp(prefix="vinlab-web-"))
        try:
            results.append(run_size(pages, folder, arguments))
        finally:
            shutil.rmtree(folder)
    report(results, arguments)
    return None


def report(results: list[dict[str, float]], arguments: argparse.Namespace) -> None:
    """Print the measurements with ratios that hold on any machine."""
    # Processor time leaves other work on the machine out.
    rates = [size["samples_per_processor_second"] for size in results]
    found = {
        "threads": arguments.threads,
        "rates_against_the_smallest": [round(rate / rates[0], 2) for rate in rates],
        "largest_peak_memory_gb": max(size["peak_memory_gb"] for size in results),
        "sizes": results,
    }
    for size in results:
        print(
            f"{size['pages']:>9,} pages: {size['samples_per_processor_second']:,.0f} samples a processor second, "
            f"at most {size['peak_memory_gb']:.2f} GB"
        )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
