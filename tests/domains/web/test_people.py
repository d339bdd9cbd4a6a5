import numpy as np
import pytest

from vinlab.domains.web.people import FINISHED, UNFINISHED, length_shares, read_people
from vinlab.types import InputError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / FINISHED).write_text(
        "Human_Path_Length,Shortest_Path_Length,Ratio\n8,3,2.67\n4,3,1.33\n1,1,1\n"
    )
    (tmp_path / UNFINISHED).write_text("Obi-Wan_Kenobi\tMicrosoft\t0\ttimeout\n")
    return tmp_path


def test_games_are_read_with_titles_and_shares(folder):
    people = read_people(folder)
    assert (people.clicks.tolist(), people.shortest.tolist()) == ([8, 4, 1], [3, 3, 1])
    assert people.unfinished == [("Obi-Wan Kenobi", "Microsoft")]
    assert people.finished_share == 0.75
    np.testing.assert_allclose(length_shares(people.shortest), [0, 1 / 3, 0, 2 / 3])


def test_missing_and_broken_files_are_named(folder):
    (folder / UNFINISHED).write_text("one column\n")
    with pytest.raises(InputError, match="line 1: expected 4 columns, got 1"):
        read_people(folder)
    (folder / FINISHED).write_text("a,b,c\nx,y,z\n")
    with pytest.raises(InputError, match="expected numbers of clicks"):
        read_people(folder)
    (folder / FINISHED).unlink()
    with pytest.raises(
        InputError, match=r"expected the games of people in .*human_games_finished\.csv, got no file"
    ):
        read_people(folder)


HOSTILE = {
    "infinite": ("a,b,c\ninf,3,1\n", "numbers of clicks from 0 to 1000000, got 'inf'"),
    "negative": ("a,b,c\n5,-3,1\n", "got '-3'"),
    "vast": ("a,b,c\n5,1e15,1\n", "got '1e15'"),
    "other bytes": (b"a,b,c\n\xff,3,1\n", "expected a table of games in UTF-8"),
    "endless": ("a,b,c\n" + "9" * 200_000 + ",3,1\n", "expected a table of games in UTF-8"),
    "none": ("a,b,c\n", "expected finished games, got none"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_tables_are_one_sentence(case, folder):
    text, sentence = HOSTILE[case]
    (folder / FINISHED).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=sentence):
        read_people(folder)
