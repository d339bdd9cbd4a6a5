"""What README and docs say is true: their code runs, their commands exist, their links and modules exist."""

import functools
import importlib.util
import inspect
import re
import shlex
from pathlib import Path

import pytest
import tyro

import vinlab
from vinlab import cli
from vinlab.cli.serve import serve
from vinlab.domains.gridworld.gallery import GALLERY
from vinlab.experiments import experiment_of
from vinlab.experiments.base import TrainingRequest
from vinlab.experiments.catalogue import ALIASES, NAMES, read_catalogue
from vinlab.experiments.runner import train

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "vinlab"
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [
        *sorted(ROOT.glob("*.md")),
        *sorted(ROOT.glob("docs/**/*.md")),
        *sorted(ROOT.glob("results/*.md")),
    ]
}
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:^|[\s/`])vinlab +([a-z].*)$")
SNIPPET = re.compile(r'^--8<-- "([^":]+)', re.MULTILINE)
SCRIPT = re.compile(r"python ((?:examples|benchmarks)/\w+\.py)")
MODULE = re.compile(r"^::: (vinlab[\w.]+)$", re.MULTILINE)
PUBLIC = "docs/reference/public.md"
"""The page that shows names in place of modules."""
PORT = inspect.signature(serve).parameters["port"].default
RUN_OF_FIRST_PLAN = "runs/gridworld/8/vin/default-paper/seed-0"

DOCUMENTED = ("planning", "modules", "networks", "integrations", "domains", "learners", "evaluation")
"""Packages whose every public module is in the reference."""


def blocks(text: str, *languages: str) -> list[str]:
    """The fenced blocks of some languages, in their order."""
    return [block for _, language, block in FENCE.findall(text) if language in languages]


def commands(text: str) -> list[str]:
    """What follows ``vinlab`` on the lines of shell blocks, and in the cells of tables that hold a command."""
    lines = [
        line.split("#")[0].strip() for block in blocks(text, "sh", "bash") for line in block.splitlines()
    ]
    lines += re.findall(r"`(vinlab (?:train|evaluate|table) [a-z][^`]*)`", text)
    return [found[1] for found in map(COMMAND.search, lines) if found]


def with_some(find) -> dict[str, str]:
    return {name: text for name, text in PAGES.items() if find(text)}


@pytest.fixture(scope="module")
def workplace(tmp_path_factory) -> Path:
    """A folder with the run of the first plan, at the smallest budget."""
    folder = tmp_path_factory.mktemp("docs")
    request = TrainingRequest(id="gridworld/8/vin", out=folder / RUN_OF_FIRST_PLAN, budget="smoke")
    train(experiment_of(request.id), request)
    return folder


@pytest.mark.parametrize("page", with_some(lambda text: blocks(text, "python")))
def test_the_code_of_a_page_runs(page, workplace, monkeypatch):
    monkeypatch.chdir(workplace)
    names: dict[str, object] = {}
    for block in blocks(PAGES[page], "python"):
        exec(compile(block, page, "exec"), names)


def silent(function):
    """The same command for the parser, which does nothing."""
    return functools.wraps(function)(lambda *values, **options: (values, options))


@pytest.mark.parametrize("page", with_some(commands))
def test_the_commands_of_a_page_can_be_parsed(page):
    for command in commands(PAGES[page]):
        name, *options = shlex.split(command.split(" > ")[0])
        try:
            tyro.cli(silent(cli.COMMANDS[name].load()), args=options)
        except (KeyError, SystemExit) as stop:
            pytest.fail(f"{page}: 'vinlab {command}' is not understood ({stop}).")


@pytest.mark.parametrize("page", with_some(commands))
def test_the_settings_and_experiments_that_a_page_names_exist(page):
    settings, experiments = set(read_catalogue()), {*NAMES, *ALIASES}
    for command in commands(PAGES[page]):
        kind, *rest = shlex.split(command)
        names = [word for word in rest if not word.startswith("-")]
        if kind == "train":
            assert names[0] in settings, command
        if kind == "table":
            assert names[0] in experiments | {"EXPERIMENT"}, command


@pytest.mark.parametrize("page", with_some(LINK.search))
def test_the_relative_links_of_a_page_lead_somewhere(page):
    prose = FENCE.sub("", PAGES[page])
    targets = [target.split("#")[0] for target in LINK.findall(prose) if "://" not in target]
    lost = [target for target in targets if target and not (ROOT / page).parent.joinpath(target).exists()]
    assert lost == []


@pytest.mark.parametrize("page", with_some(lambda text: SNIPPET.search(text) or SCRIPT.search(text)))
def test_the_tables_and_scripts_that_a_page_names_exist(page):
    named = SNIPPET.findall(PAGES[page]) + SCRIPT.findall(PAGES[page])
    assert [path for path in named if not (ROOT / path).is_file()] == []


def modules() -> list[str]:
    """The modules of which the reference shows the docstrings."""
    pages = [text for page, text in PAGES.items() if page != PUBLIC]
    return [name for text in pages for name in MODULE.findall(text)]


def file_of(module: str) -> Path:
    path = PACKAGE.parent.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_every_module_of_the_reference_exists_and_is_shown_once():
    assert [name for name in modules() if not file_of(name).is_file()] == []
    assert len(modules()) == len(set(modules()))


@pytest.mark.parametrize("package", DOCUMENTED)
def test_every_public_module_is_in_the_reference(package):
    files = [path for path in (PACKAGE / package).rglob("*.py") if not path.name.startswith("_")]
    shown = {file_of(name) for name in modules()}
    hidden = {parent for path in shown if path.name == "__init__.py" for parent in [path.parent]}
    missing = [path for path in files if path not in shown and path.parent not in hidden]
    assert [str(path.relative_to(PACKAGE)) for path in missing] == []


def test_every_public_name_is_in_the_reference_once():
    shown = re.findall(r"^::: vinlab\.(\w+)$", PAGES[PUBLIC], re.MULTILINE)
    assert sorted(shown) == sorted(vinlab.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_is_in_the_reference(name):
    assert f"vinlab.experiments.{name}.settings" in modules()


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")]
    assert [page for page in pages if page not in navigation] == []


def test_changelog_and_citation_name_this_version():
    assert f"\n## {vinlab.__version__}" in PAGES["CHANGELOG.md"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {vinlab.__version__}\n" in citation
    assert all(name in citation for name in ("Tamar", "Wu", "Thomas", "Levine", "Abbeel"))


def test_the_page_of_the_shipped_models_is_that_of_their_cards():
    spec = importlib.util.spec_from_file_location("cards", ROOT / "docs" / "cards.py")
    assert spec is not None
    assert spec.loader is not None
    cards = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cards)
    assert PAGES["docs/models.md"] == cards.page(), "make cards writes it anew"


def test_the_gallery_of_the_documentation_shows_every_map_with_a_link():
    for name, entry in GALLERY.items():
        assert f"![{entry.about}](images/gallery/{name}.png)" in PAGES["docs/gallery.md"]
        assert f"[{name}](http://127.0.0.1:{PORT}/#map={name})" in PAGES["docs/gallery.md"]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_installs_the_package_from_an_index_that_does_not_have_it(page):
    assert re.findall(r"pip install (?:-U )?['\"]?vinlab(?:\[\w+\])?['\"]?(?:\s|`|$)", PAGES[page]) == []


def test_no_script_installs_the_package_from_an_index_that_does_not_have_it():
    files = [*(ROOT / "examples").glob("*.py"), *(ROOT / "src").rglob("*.py")]
    named = re.compile(r"install [^\n]*vinlab\[|extra ``vinlab\[")
    assert [str(file) for file in files if named.search(file.read_text(encoding="utf-8"))] == []


def test_commands_in_wide_tables_are_not_broken():
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "extra_css: [stylesheets/tables.css]" in settings
    rules = (ROOT / "docs" / "stylesheets" / "tables.css").read_text(encoding="utf-8")
    assert "table:not([class]) code { white-space: nowrap;" in rules
