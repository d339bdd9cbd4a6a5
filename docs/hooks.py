"""Adds files outside ``docs/`` to the site, so that links to them work in a checkout too, and renders formulas.

Formulas become MathML at build time: browsers show it by themselves, and nothing is fetched.
"""

import html as entities
import re
from collections.abc import Iterator
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parents[1]
LINKED = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "examples/*.py",
    "results/*.md",
    "results/figures/*.png",
    "results/figures/*.gif",
    "results/benchmarks/*.json",
    "results/reliability/*.json",
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The documentation files, and the files outside ``docs/`` that pages link to."""
    for path in _linked():
        relative = path.relative_to(ROOT)
        page = relative.suffix == ".md"
        files.append(
            File(
                f"../{relative.as_posix()}",
                config.docs_dir,
                config.site_dir,
                config.use_directory_urls,
                dest_uri=f"{relative.with_suffix('').as_posix()}/index.html" if page else relative.as_posix(),
                # Explicit, because paths that begin with a dot are left out otherwise.
                inclusion=InclusionLevel.NOT_IN_NAV,
            )
        )
    return files


def _linked() -> Iterator[Path]:
    for pattern in LINKED:
        yield from sorted(ROOT.glob(pattern))


FORMULA = re.compile(r'<(?:span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</(?:span|div)>', re.DOTALL)


def on_page_content(html: str, **_: object) -> str:
    """The page with its formulas as MathML."""
    return FORMULA.sub(lambda found: _mathml(found[2], block=found[1] == "["), html)


def _mathml(formula: str, *, block: bool) -> str:
    return convert(entities.unescape(formula.strip()), display="block" if block else "inline")
