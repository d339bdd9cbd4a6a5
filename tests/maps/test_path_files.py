"""Tables of demonstrated paths are read as they are written, and what is wrong with one is said."""

import json

import pytest

from vinlab.maps import path_files
from vinlab.maps.path_files import read_paths
from vinlab.types import InputError


def table(tmp_path, text, name="paths.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_paths(tmp_path / name)


def test_the_lines_of_a_path_follow_each_other_and_further_columns_are_kept(tmp_path):
    first, second = table(
        tmp_path,
        "image, path,row,col,who\na.png,1,0,1,Ada\nb.png,1,5,6,Bob\na.png,1,-2,3.5,Eve\n\nb.png,1,7,8\n",
    )
    assert (first.image, first.world, first.points.tolist()) == ("a.png", False, [[0, 1], [-2, 3.5]])
    assert first.columns == {"who": "Ada"}
    assert first.name == f"{tmp_path / 'paths.csv'}: path 1 on a.png"
    assert (second.image, second.points.tolist(), second.columns) == (
        "b.png",
        [[5, 6], [7, 8]],
        {"who": "Bob"},
    )


def test_columns_of_world_coordinates_are_taken_where_there_are_no_cells(tmp_path):
    (one,) = table(tmp_path, "y,x,path,image\n2,1e3,,a.png\n4,+3.5,,a.png\n")
    assert one.world
    assert one.points.tolist() == [[1000, 2], [3.5, 4]]
    assert one.name.endswith("path (no name) on a.png")
    (both,) = table(tmp_path, "image,path,row,col,x,y\na.png,1,0,1,9,9\n")
    assert not both.world
    assert both.columns == {"x": "9", "y": "9"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "a table without image, path, row, col"),
        ("image,path,row\na,1,2\n", "expected the columns image, path, row, col .*, got a table without col"),
        ("image,path,row,col,row\na,1,2,3,4\n", "expected each column once, got 'row' twice"),
        ("image,path,row,col\na,1,2\n", "line 2: expected a number as col, got ''"),
        ("image,path,row,col\na,1,2,3\na,1,x,3\n", "line 3: expected a number as row, got 'x'"),
        ("image,path,row,col\na,1,1_0,3\n", "line 2: expected a number as row, got '1_0'"),
        ("image,path,row,col\na,1,1e999,3\n", "line 2: expected a number as row, got '1e999'"),
        ("image,path,row,col\na,1,1,3,4\n", "line 2: expected 4 fields, got 5"),
        ("image,path,row,col\n", "expected at least one path, got none"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(tmp_path, text, sentence):
    text = text or "\n"
    with pytest.raises(InputError, match=f"paths.csv: .*{sentence}"):
        table(tmp_path, text)


def test_empty_fields_beyond_the_last_column_are_no_fault(tmp_path):
    assert table(tmp_path, "image,path,row,col\na,1,2,3, ,\n")[0].points.tolist() == [[2, 3]]


def test_a_table_has_bounds(tmp_path, monkeypatch):
    text = "image,path,row,col,who\na,1,2,3,x\na,2,2,3,x\n"
    monkeypatch.setattr(path_files, "MOST_COLUMNS", 5)
    monkeypatch.setattr(path_files, "MOST_PATHS", 2)
    assert len(table(tmp_path, text)) == 2
    monkeypatch.setattr(path_files, "MOST_PATHS", 1)
    with pytest.raises(InputError, match="expected at most 1 paths, got more"):
        table(tmp_path, text)
    monkeypatch.setattr(path_files, "MOST_COLUMNS", 4)
    with pytest.raises(InputError, match="expected at most 4 columns, got 5"):
        table(tmp_path, text)


def test_json_holds_cells_or_points(tmp_path):
    entries = [
        {"image": "a.png", "cells": [[0, 1], [2, 3]], "who": 7},
        {"image": "b.png", "points": [[0.5, 1.5]]},
        {"image": "c.png", "points": [[9, 9]], "cells": [[4, 5]]},
    ]
    for content in (entries, {"paths": entries}):
        found = table(tmp_path, json.dumps(content), "paths.json")
        assert [one.image for one in found] == ["a.png", "b.png", "c.png"]
        assert [one.world for one in found] == [False, True, False]
        assert [one.points.tolist() for one in found] == [[[0, 1], [2, 3]], [[0.5, 1.5]], [[4, 5]]]
        assert [dict(one.columns) for one in found] == [{"who": "7"}, {}, {}]
        assert found[1].name == f"{tmp_path / 'paths.json'}: path 1 on b.png"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (3, "expected a list of paths, got int"),
        ({"cells": []}, "expected a list of paths, got NoneType"),
        ([3], "path 0: expected an object with the name of its image"),
        ([{"image": 3, "cells": [[0, 0]]}], "path 0: expected an object with the name of its image"),
        ([{"image": "a", "cells": [0, 1]}], "path 0: expected cells as .row, col. or points as .x, y."),
        ([{"image": "a", "cells": [[0, 1, 2]]}], "expected cells as"),
        ([{"image": "a", "cells": [[0], [1, 2]]}], "expected cells as"),
        ([{"image": "a", "cells": [["0", "1"]]}], "expected cells as"),
        ([{"image": "a", "cells": [[True, False]]}], "expected cells as"),
        ([{"image": "a"}], "expected cells as"),
        ([], "expected at least one path, got none"),
    ],
)
def test_what_is_wrong_with_a_list_of_paths_is_said(tmp_path, content, sentence):
    with pytest.raises(InputError, match=f"paths.json: .*{sentence}"):
        table(tmp_path, json.dumps(content), "paths.json")
