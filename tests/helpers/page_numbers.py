"""The numbers of a Markdown page that stand beside the id of a setting: in its row of a table, or in its sentence."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
NUMBER = r"[+−-]?\d{1,3}(?:,\d{3})+(?![\d,])|[+−-]?\d+(?:\.\d+)?"
BETWEEN = r"(?: ?± ?|, and |, | and | or | to | against | / |–| ?%?; )"
CHAIN = re.compile(
    rf"(?<![\w./-])(?P<numbers>(?:{NUMBER})(?:{BETWEEN}(?:{NUMBER})(?![\w/]))*)(?P<unit> ?%| points?\b| million)?"
    r"(?![\w/])(?!-\w)"
)
LABELS = re.compile(
    r"\b(?:[Vv]ersion|Section|Figure|Table|details?|[Ss]eeds?|commit|NIPS|ICML|K =|side)\s+"
    r"\d[\w.]*(?:(?:, | and | to |–)\d+)*"
)
SIZES = re.compile(r"\d[\d,]* ?[×x] ?\d[\d,]*")
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->|\{[^}]*\}|https?://\S+")
ENUMERATOR = re.compile(r"^\s*(?:\d+\.|[-*])\s+")
RECIPE = re.compile(r"--recipe (\w+)")
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`*\[(])")
ABOUT = re.compile(r"(?:about|some|nearly|almost|around) $")


@dataclass(frozen=True)
class Claim:
    """A number beside one or more ids."""

    page: str
    line: int
    ids: tuple[str, ...]
    number: str
    """As it is written."""
    unit: str
    """``%``, ``points``, ``million`` or nothing."""
    is_deviation: bool
    """Whether it stands behind a ±."""
    is_rough: bool
    """Whether a word such as "about" stands before it."""
    heading: str
    """Of its column, in a table."""
    recipe: str | None
    """That of the row's command or cell, in a table."""
    is_mean: bool
    """Whether it is the one number of its cell, or the one before a ±, in a table that has no line for each seed."""

    @property
    def value(self) -> float:
        """The number."""
        plain = float(self.number.replace(",", "").replace("−", "-"))
        return plain * 1e6 if self.unit == "million" else plain

    @property
    def tolerance(self) -> float:
        """Half a unit of its last digit, or a twentieth of a rough number."""
        decimals = len(self.number.partition(".")[2])
        scale = 1e6 if self.unit == "million" else 1.0
        return max(0.5 * 10**-decimals * scale, abs(self.value) / 20 if self.is_rough else 0.0) + 1e-9

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.page}:{self.line}: {self.number}{unit} beside {', '.join(self.ids)}"


@dataclass(frozen=True)
class Passage:
    """A row, a sentence or a comment, with the line of its begin."""

    line: int
    text: str
    headings: tuple[str, ...] = ()


def claims(page: str, text: str, ids: Collection[str]) -> list[Claim]:
    """The numbers beside ids on a page."""
    known = sorted(ids, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w/-])(?:{'|'.join(map(re.escape, known))})(?![\w/-])")
    return [
        claim
        for passage in passages(text)
        if pattern.search(passage.text)
        for claim in _claims_of(page, passage, pattern)
    ]


def _claims_of(page: str, passage: Passage, pattern: re.Pattern[str]) -> Iterator[Claim]:
    named = tuple(dict.fromkeys(pattern.findall(passage.text)))
    recipe = _recipe(passage)
    cells = _cells(passage.text) if passage.headings else [passage.text]
    for place, cell in enumerate(cells):
        heading = passage.headings[place] if place < len(passage.headings) else ""
        is_mean = bool(heading) and "seed" not in passage.headings and _is_single(_blank(cell, pattern))
        for chain in CHAIN.finditer(_blank(cell, pattern)):
            before = chain.string[: chain.start()]
            unit = (chain["unit"] or "").strip().rstrip("s").replace("point", "points")
            for number, after in _numbers_of(chain["numbers"]):
                rough = bool(ABOUT.search(before))
                yield Claim(
                    page,
                    passage.line,
                    named,
                    number,
                    unit,
                    after,
                    rough,
                    heading,
                    recipe,
                    is_mean and not after,
                )


def _numbers_of(chain: str) -> Iterator[tuple[str, bool]]:
    """The numbers of a chain such as ``98.1 ± 0.2``, and whether each is a deviation."""
    parts = re.split(f"({BETWEEN})", chain)
    for place in range(0, len(parts), 2):
        yield parts[place], place > 0 and "±" in parts[place - 1]


def _is_single(cell: str) -> bool:
    """Whether a cell has one number, with or without a deviation."""
    return len(re.findall(NUMBER, cell.partition("±")[0])) == 1 and cell.count("±") <= 1


def _recipe(passage: Passage) -> str | None:
    """The recipe that a row of a table is about."""
    if not passage.headings:
        return None
    cells = dict(zip(passage.headings, _cells(passage.text), strict=False))
    if "recipe" in cells:
        return cells["recipe"].strip("`* ")
    found = RECIPE.search(passage.text)
    if found:
        return found[1]
    return "default" if "vinlab train" in passage.text else None


def _blank(text: str, pattern: re.Pattern[str]) -> str:
    """The text without what holds digits and is no measurement: ids, code, links, sizes, labels."""
    for what in (CODE, pattern, SIZES, LABELS):
        text = what.sub(lambda found: " … ", text)
    return text


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def passages(text: str) -> Iterator[Passage]:
    """The rows of tables, the sentences, and the comments of commands."""
    yield from _comments(text)
    prose = FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    lines: list[str] = []
    headings: tuple[str, ...] = ()
    for number, line in enumerate([*prose.splitlines(), ""], 1):
        is_row = line.lstrip().startswith("|")
        if is_row or not line.strip() or ENUMERATOR.match(line) or line.startswith("#"):
            yield from _sentences(number - len(lines), lines)
            lines = []
        if is_row:
            headings = headings or tuple(_cells(line))
            yield Passage(number, line, headings)
            continue
        headings = ()
        if line.strip():
            lines.append(ENUMERATOR.sub("", line))


def _sentences(first: int, lines: list[str]) -> Iterator[Passage]:
    """The sentences of a paragraph, each with the line it begins on."""
    text, place = "\n".join(lines), 0
    for sentence in SENTENCE.split(text):
        start = text.index(sentence, place)
        place = start + len(sentence)
        yield Passage(first + text[:start].count("\n"), " ".join(sentence.split()))


def _comments(text: str) -> Iterator[Passage]:
    """The comments behind commands; the command itself is kept for its id alone."""
    for block in FENCE.finditer(text):
        first = text[: block.start(3)].count("\n") + 1
        if block[2] not in ("sh", "bash"):
            continue
        for offset, line in enumerate(block[3].splitlines()):
            command, hash, comment = line.partition("#")
            if hash:
                names = " ".join(re.findall(r"[a-z]+(?:/[\w-]+)+", command))
                yield Passage(first + offset, f"{names}: {comment}")
