"""``vinlab reproduce``: the runs behind the tables, then the tables and figures."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.progress import Progress, TaskID
from tyro.conf import Positional

from vinlab.cli.checks import MOST_JOBS, MOST_SEEDS, require_between
from vinlab.cli.output import progress_bars
from vinlab.experiments.base import Budget
from vinlab.experiments.execution import Event, Job, run_locally, run_on_ray
from vinlab.experiments.plan import PlannedRun, experiments_at, missing_runs, planned_runs
from vinlab.experiments.times import expected_seconds, mean_seconds, recorded_seconds
from vinlab.recording.finished_run import FinishedRun, collect_runs
from vinlab.types import InputError


def reproduce(
    experiments: Positional[tuple[str, ...]] = (),
    /,
    budget: Budget = "paper",
    runs: Path | None = None,
    out: Path | None = None,
    data: Path | None = None,
    seeds: int | None = None,
    jobs: int = 1,
    ray: str | None = None,
    dry_run: bool = False,
) -> None:
    """Run what is missing behind the tables, continue what was killed, and write tables and figures anew.

    Args:
        experiments: Names such as gridworld or rl; if none is given all of them, at the budget small those of the
            paper.
        budget: smoke takes seconds a setting, small minutes, paper the paper's own sizes.
        runs: The folder of runs; finished ones are not run again. If not given, results/runs at the budget paper and
            runs/small or runs/smoke at the others.
        out: Where tables and figures are written. If not given, results at the budget paper and beside the runs at the
            others.
        data: The folder with the real data, one folder each (jezero_ctx, wikispeedia, …); without it the runs that need
            them are left out and named.
        seeds: Seeds per setting; those of the recorded tables if not given, and 1 at the smaller budgets.
        jobs: Runs side by side on this machine.
        ray: The address of a Ray cluster (or auto); its machines must share the folder of runs.
        dry_run: Say what would be run and what it would cost by the recorded times, and stop.
    """
    from vinlab.experiments.catalogue import ALIASES
    from vinlab.experiments.reproduce import update_readme, write_results

    require_between(1, jobs, MOST_JOBS, "--jobs")
    if seeds is not None:
        require_between(1, seeds, MOST_SEEDS, "--seeds")
    names = [ALIASES.get(name, name) for name in experiments] or experiments_at(budget)
    runs, out = _folders(budget, runs, out)
    finished = _finished(runs)
    wanted = planned_runs(names, budget, seeds=seeds)
    missing = missing_runs(wanted, finished)
    possible = [run for run in missing if run.is_possible(data)]
    _announce(wanted, missing, possible, finished, jobs)
    if dry_run:
        return
    failed = _carry_out([Job(run, runs, data) for run in possible], jobs, ray)
    finished = _finished(runs)
    at_budget = [run for run in finished if budget == "paper" or run.manifest.budget == budget]
    for path in write_results(names, at_budget, out):
        print(f"Written: {path}.")
    if budget == "paper" and update_readme(out.parent / "README.md", finished):
        print(f"Written: {out.parent / 'README.md'}.")
    if failed:
        raise InputError(f"{len(failed)} of {len(possible)} runs failed: {'; '.join(failed)}")


def _folders(budget: Budget, runs: Path | None, out: Path | None) -> tuple[Path, Path]:
    """Where runs and tables are; those of smaller budgets are kept apart from the recorded ones."""
    if budget == "paper":
        return runs or Path("results/runs"), out or Path("results")
    runs = runs or Path("runs") / budget
    return runs, out or runs


def _finished(runs: Path) -> list[FinishedRun]:
    """Finished runs; unfinished ones are continued, broken ones are named."""

    def report(error: InputError) -> None:
        if "unfinished" not in str(error):
            print(f"Left out: {error}")

    return collect_runs(runs, on_unusable=report) if runs.is_dir() else []


def _announce(
    wanted: Sequence[PlannedRun],
    missing: Sequence[PlannedRun],
    possible: Sequence[PlannedRun],
    finished: Sequence[FinishedRun],
    jobs: int,
) -> None:
    """Say what is missing, what it costs and what cannot be run."""
    print(f"{len(wanted) - len(missing)} of {len(wanted)} runs are finished; {len(possible)} are to be run.")
    known_seconds = recorded_seconds() | mean_seconds(finished)
    seconds = {run: expected_seconds(run, known_seconds) for run in possible}
    for run in possible:
        known = seconds[run]
        cost = "time unknown" if known is None else f"about {known / 60:.1f} minutes"
        data = run.source or "generated data"
        print(f"  {run.id}, recipe {run.recipe}, budget {run.budget}, seed {run.seed}, {data}: {cost}")
    total = sum(known for known in seconds.values() if known is not None)
    if total:
        print(f"By the recorded times about {total / 3600 / jobs:.1f} hours with {jobs} at a time.")
    sources = Counter(run.source for run in missing if run not in seconds)
    for source, count in sources.items():
        print(f"{count} runs need real data: --data FOLDER with {source} in it.")


def _carry_out(jobs: Sequence[Job], workers: int, ray: str | None) -> list[str]:
    """Run the jobs with a bar over all and one for each; the failures come back, each with its reason."""
    if not jobs:
        return []
    events = run_on_ray(jobs, ray) if ray else run_locally(jobs, workers)
    failed = []
    with progress_bars() as progress:
        show = _Show(progress, len(jobs))
        for event in events:
            show(event)
            if event.kind == "failed":
                failed.append(f"{event.job.run.id} ({event.note.rstrip('.')})")
    return failed


class _Show:
    """Draws events as progress bars."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress = progress
        self.all = progress.add_task("all runs", total=total, note="")
        self.tasks: dict[Job, TaskID] = {}

    def __call__(self, event: Event) -> None:
        run = event.job.run
        if event.kind == "progress":
            if event.job not in self.tasks:
                title = f"{run.id} {run.recipe} seed {run.seed}"
                self.tasks[event.job] = self.progress.add_task(title, total=None, note="")
            task = self.tasks[event.job]
            self.progress.update(task, completed=event.done, total=event.total, note=event.note)
            return
        if event.job in self.tasks:
            self.progress.remove_task(self.tasks.pop(event.job))
        self.progress.advance(self.all)
        words = "finished" if event.kind == "finished" else f"failed: {event.note}"
        self.progress.console.print(
            f"{run.id}, recipe {run.recipe}, seed {run.seed}: {words}", highlight=False
        )
