"""Write the page of the shipped models from their cards: python docs/cards.py (or: make cards)."""

from pathlib import Path

from vinlab.cli.cards import card_text
from vinlab.models import shipped_ids

PAGE = Path(__file__).parent / "models.md"

INTRODUCTION = """# Shipped models

These weights come with the package: `vinlab.load("grid/any")` in Python, `--model grid/any` on the command line. Each
has a card, which `vinlab show grid/any --card` prints too. Read the limits before you rely on a model: a learned plan
can fail, and every command says whether the goal was reached.
[Your own maps](maps.md#which-model-for-my-map) says which model suits which map.

This page is written by `make cards` from the cards beside the weights; their scores are those of the recorded runs.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *(f"{card_text(id)}\n" for id in shipped_ids())])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"Written to {PAGE.name}.")
