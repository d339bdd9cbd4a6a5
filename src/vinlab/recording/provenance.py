"""The source of a run: its commit, and the versions of packages."""

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

RECORDED_PACKAGES = ("vinlab", "torch", "numpy", "numba")


def package_versions() -> dict[str, str]:
    """The version of Python and of each package that can change a number, without importing any of them."""
    versions = {"python": platform.python_version()}
    for name in RECORDED_PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def source_state(package: Path | None = None) -> tuple[str | None, bool | None]:
    """The commit of the source and whether it is unchanged since; both None outside a checkout."""
    package = package or Path(__file__).parents[1]
    # A package installed inside another project's checkout is not part of it.
    if _git(package, "ls-files", "--error-unmatch", "__init__.py") is None:
        return None, None
    commit = _git(package, "rev-parse", "--verify", "HEAD")
    changes = _git(package, "status", "--porcelain", "--", ".")
    return commit, None if commit is None or changes is None else not changes


def _git(folder: Path, *arguments: str) -> str | None:
    """The output of git, or None if it fails or is not installed."""
    # Inside a git hook these variables would point at another repository.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(folder), *arguments]
    try:
        # Names of files may be bytes of any encoding; whether there are any is all that counts.
        answer = subprocess.run(
            command, env=environment, capture_output=True, encoding="utf-8", errors="replace", timeout=30
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
