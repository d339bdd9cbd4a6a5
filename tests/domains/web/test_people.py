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
