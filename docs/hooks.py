"""Lets pages link to files beside ``docs/`` with links that also work in a checkout."""

from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parents[1]
LINKED = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "examples/*.py",
    "results/*.md",
    "results/figures/*.png",
    "results/figures/*.gif",
    "results/benchmarks/*.json",
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The documentation files and those outside that pages may link to."""
    for path in _linked():
        place = path.relative_to(ROOT)
        page = place.suffix == ".md"
        files.append(
            File(
                f"../{place.as_posix()}",
                config.docs_dir,
                config.site_dir,
                config.use_directory_urls,
                dest_uri=f"{place.with_suffix('').as_posix()}/index.html" if page else place.as_posix(),
                # Said outright, as paths that begin with a dot are left out otherwise.
                inclusion=InclusionLevel.NOT_IN_NAV,
            )
        )
    return files


def _linked() -> Iterator[Path]:
    for pattern in LINKED:
        yield from sorted(ROOT.glob(pattern))
