import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from vinlab.recording.provenance import package_versions, source_state


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    package = tmp_path / "src" / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    git(tmp_path, "init", "-q")
    return package


def test_versions_are_those_installed() -> None:
    versions = package_versions()
    assert versions["python"] == ".".join(map(str, sys.version_info[:3]))
    assert versions["torch"] == metadata.version("torch")


def test_a_checkout_has_a_commit_and_says_whether_it_is_clean(package: Path) -> None:
    git(package, "add", ".")
    git(package, "commit", "-q", "-m", "first")
    commit = git(package, "rev-parse", "HEAD")
    (package.parent / "notes.txt").write_text("outside the package, so it cannot move a number")
    assert source_state(package) == (commit, True)
    (package / "new.py").write_text("")
    assert source_state(package) == (commit, False)


def test_a_package_that_somebody_elses_checkout_does_not_hold_has_no_commit(package: Path) -> None:
    (package.parent / "theirs").write_text("")
    git(package, "add", "../theirs")
    git(package, "commit", "-q", "-m", "theirs")
    assert source_state(package) == (None, None)


def test_a_checkout_without_commits_has_none(package: Path) -> None:
    git(package, "add", ".")
    assert source_state(package) == (None, None)


def test_without_git_there_is_no_commit(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert source_state(package) == (None, None)


def test_a_changed_file_may_have_a_name_of_any_bytes(package: Path) -> None:
    git(package, "add", ".")
    git(package, "commit", "-q", "-m", "first")
    git(package, "config", "core.quotePath", "false")
    (package / os.fsdecode(b"caf\xe9.py")).write_bytes(b"")
    assert source_state(package) == (git(package, "rev-parse", "HEAD"), False)
