"""Word vectors, and how a text is split into sentences and words."""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from jaxtyping import Float, Int

from vinlab.recording.array_files import members_of, open_archive, read_member
from vinlab.recording.files import read_bytes
from vinlab.types import InputError

GLOVE_ADDRESS = "https://nlp.stanford.edu/projects/glove"
"""Where public word vectors are."""

MOST_WORDS, MOST_LETTERS = 1_000_000, 2**24
"""How many words there are, and letters in all of them."""
MOST_NUMBERS = 125_000_000
"""In all vectors: those of 400,000 words with 300 numbers each, in half a gigabyte."""
LONGEST_VECTOR = 2**14
"""Numbers of one word."""
LONGEST_LINE = 2**16
"""Bytes of a word and its numbers."""

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])")
_WORD = re.compile(r"[^\W_]+")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text; a full stop before a capital ends one."""
    return [
        sentence for line in text.split("\n") for sentence in _SENTENCE_END.split(line) if sentence.strip()
    ]


def split_words(text: str) -> list[str]:
    """The words and numbers of a text in lower case, without punctuation."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True)
class WordVectors:
    """A vector for each of many words."""

    words: Sequence[str]
    vectors: Float[np.ndarray, "V D"]

    def __post_init__(self) -> None:
        if len(self.words) != len(self.vectors):
            raise InputError(
                f"expected a vector for each of {len(self.words)} words, got {len(self.vectors)}."
            )

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each word."""
        return {word: place for place, word in enumerate(self.words)}

    def known(self, text: str) -> Int[np.ndarray, " n"]:
        """The rows of those words of a text that have a vector, in their order."""
        found = map(self.places.get, split_words(text))
        return np.array([place for place in found if place is not None], dtype=np.int64)

    def shuffled_meaning(self, rng: np.random.Generator) -> "WordVectors":
        """The same words with random vectors: a control in which two words are the same or unrelated."""
        noise = rng.standard_normal(self.vectors.shape).astype(np.float32)
        return WordVectors(self.words, noise)


def read_vectors(path: Path) -> WordVectors:
    """Word vectors from a GloVe text file (``word x1 x2 …``) or from an ``.npz`` with ``words`` and ``vectors``."""
    if not path.is_file():
        raise InputError(f"expected word vectors in {path}, got no file; public ones are at {GLOVE_ADDRESS}.")
    return _read_npz(path) if path.suffix == ".npz" else _read_glove(path)


def _read_npz(path: Path) -> WordVectors:
    with open_archive(read_bytes(path), str(path)) as archive:
        missing = {"words", "vectors"} - members_of(archive)
        if missing:
            raise InputError(
                f"{path}: expected an .npz file with words and vectors, got one without {', '.join(sorted(missing))}."
            )
        words = read_member(archive, "words", str(path), most=4 * MOST_LETTERS, kinds="U")
        if words.ndim != 0:
            raise InputError(f"'words' in {path}: expected one text with a word a line, got {words.shape}.")
        found = str(words).split("\n")
        _require_few(len(found), 0, 0, path)
        most = min(MOST_NUMBERS, len(found) * LONGEST_VECTOR)
        vectors = read_member(archive, "vectors", str(path), most=4 * most)
    return WordVectors(found, require_vectors(vectors, f"'vectors' in {path}"))


def require_vectors(vectors: np.ndarray, name: str) -> Float[np.ndarray, "V D"]:
    """Finite numbers in rows of equal length, as float32."""
    if vectors.ndim != 2 or vectors.size == 0 or vectors.dtype.kind not in "iuf":
        raise InputError(
            f"{name}: expected a row of numbers for each word, got {vectors.dtype} of {vectors.shape}."
        )
    with np.errstate(over="ignore"):
        small = vectors.astype(np.float32, copy=False)
    if not all(np.isfinite(part).all() for part in np.array_split(small, 100)):
        raise InputError(f"{name}: expected finite numbers, got nan or infinite ones.")
    return small


def _read_glove(path: Path) -> WordVectors:
    words, numbers, width, letters = [], array("f"), 0, 0
    for number, (word, row) in enumerate(_glove_lines(path), start=1):
        width = width or len(row)
        if len(row) != width or not width:
            wanted = f"{width} numbers as before" if width else "a word and its numbers"
            raise InputError(f"{path}, line {number}: expected {wanted}, got {len(row)}.")
        words.append(word)
        numbers.frombytes(row.tobytes())
        letters += len(word)
        _require_few(len(words), len(numbers), letters, path)
    if not words:
        raise InputError(f"{path}: expected word vectors, got an empty file.")
    vectors = np.frombuffer(numbers, np.float32).reshape(len(words), width)
    return WordVectors(words, require_vectors(vectors, str(path)))


def _require_few(words: int, numbers: int, letters: int, path: Path) -> None:
    if words > MOST_WORDS or numbers > MOST_NUMBERS or letters > MOST_LETTERS:
        raise InputError(
            f"{path}: expected at most {MOST_WORDS:,} words of {MOST_LETTERS:,} letters and {MOST_NUMBERS:,} numbers "
            "in all, got more."
        )


def _glove_lines(path: Path) -> Iterator[tuple[str, np.ndarray]]:
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=1):
            try:
                word, *numbers = line.decode().rstrip("\n").split(" ")
                with np.errstate(over="ignore"):
                    yield word, np.array(numbers, dtype=np.float32)
            except ValueError:
                raise InputError(
                    f"{path}, line {number}: expected a word and its numbers, got {line[:40]!r}."
                ) from None
