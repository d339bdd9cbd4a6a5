"""Recorded networks of Mars on synthetic terrain that no choice was made by.

``python benchmarks/fresh_terrain.py`` evaluates the runs on synthetic terrain whose weights were kept on 10,000 patches
of 40 terrains, drawn after the settings were chosen and used for nothing else. It prints one JSON object: the success
of every run, its mean over the seeds of a setting, and how far each setting is from the soft planner that learned on
more ground, with the standard error over blocks of terrain.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import vinlab
from vinlab.domains.mars.patches import PAPER_PATCHES
from vinlab.domains.mars.problem import MarsProblems, sample_from_tiles
from vinlab.domains.mars.terrain import Terrain
from vinlab.domains.mars.terrain.synthetic import SyntheticConfig, synthetic_terrains
from vinlab.evaluation.bootstrap import block_error
from vinlab.experiments.mars.evaluate import evaluate_policy
from vinlab.recording.finished_run import WEIGHTS, collect_runs

STREAM = 2026_11_19
RUNS = Path(__file__).parents[1] / "results" / "runs" / "mars"
SOFT_PLANNER = "mars/classifier-more-ground"


def fresh_problems(patches: int, terrains: int) -> MarsProblems:
    """Problems on terrain of their own."""

    def tiles() -> Iterator[Terrain]:
        return synthetic_terrains(terrains, rng=np.random.default_rng(STREAM), config=SyntheticConfig())

    return sample_from_tiles(tiles, patches, PAPER_PATCHES, rng=np.random.default_rng(STREAM))[0]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--patches", type=int, default=10_000)
    parser.add_argument("--terrains", type=int, default=40)
    parser.add_argument("--runs", type=Path, default=RUNS)
    options = parser.parse_args()
    problems = fresh_problems(options.patches, options.terrains)
    reached: defaultdict[str, list[np.ndarray]] = defaultdict(list)
    runs = []
    for run in collect_runs(options.runs):
        manifest = run.manifest
        if manifest.source is None and manifest.recipe == "default" and (run.folder / WEIGHTS).exists():
            found = evaluate_policy(vinlab.load(run.folder).network, problems)
            reached[manifest.id].append(found.reached)
            runs.append({"id": manifest.id, "seed": manifest.seed, "success_rate": found.scores.success_rate})
    means = {id: np.mean(each, axis=0) for id, each in reached.items()}
    rng = np.random.default_rng(0)
    differences = {
        id: [
            round(100 * float(mean.mean() - means[SOFT_PLANNER].mean()), 2),
            round(100 * block_error(mean - means[SOFT_PLANNER], problems.block_ids, rng=rng), 2),
        ]
        for id, mean in means.items()
        if SOFT_PLANNER in means and id != SOFT_PLANNER
    }
    record = {
        "patches": len(problems),
        "terrains": options.terrains,
        "blocks": len(np.unique(problems.block_ids)),
        "success_rate": {id: round(float(mean.mean()), 4) for id, mean in means.items()},
        f"points above {SOFT_PLANNER}, and standard error": differences,
        "runs": runs,
    }
    print(json.dumps(record))


if __name__ == "__main__":
    main()
