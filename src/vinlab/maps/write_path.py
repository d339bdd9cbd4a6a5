"""A path in the coordinates of its map, as CSV, JSON or GeoJSON."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int

from vinlab.maps.transform import Frame
from vinlab.recording.files import write_text
from vinlab.types import InputError


def write_route(path: Path, cells: Int[np.ndarray, "T 2"], frame: Frame, metadata: Mapping[str, Any]) -> None:
    """Write a path to a file; its suffix tells the format. JSON holds ``metadata`` such as the cost too."""
    writers = {".csv": as_csv, ".json": as_json, ".geojson": as_geojson}
    if path.suffix.lower() not in writers:
        raise InputError(f"expected a path file of type {', '.join(writers)}, got '{path.name}'.")
    write_text(path, writers[path.suffix.lower()](cells, frame, metadata))


def as_csv(cells: Int[np.ndarray, "T 2"], frame: Frame, metadata: Mapping[str, Any]) -> str:
    """A line for each cell: its row and column, its world coordinates, and whether the path reaches the goal."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", "col", "x", "y", "reached"])
    reached = "true" if metadata.get("reached", True) else "false"
    for cell, point in zip(cells.tolist(), frame.to_world(cells).tolist(), strict=True):
        writer.writerow([*cell, *(repr(number) for number in point), reached])
    return text.getvalue()


def as_json(cells: Int[np.ndarray, "T 2"], frame: Frame, metadata: Mapping[str, Any]) -> str:
    """One object: the metadata, the cells and their world coordinates."""
    record = {
        **metadata,
        "unit": frame.unit,
        "crs": frame.crs,
        "cells": cells.tolist(),
        "world": frame.to_world(cells).tolist(),
    }
    return json.dumps(record, allow_nan=False) + "\n"


def as_geojson(cells: Int[np.ndarray, "T 2"], frame: Frame, metadata: Mapping[str, Any]) -> str:
    """One feature in the coordinates of the map, with their reference system where the map has one."""
    points = frame.to_world(cells).tolist()
    # A line needs two points; a start at the goal gives one.
    kind, coordinates = ("LineString", points) if len(points) > 1 else ("Point", points[0])
    geometry, properties = {"type": kind, "coordinates": coordinates}, {**metadata, "unit": frame.unit}
    record: dict[str, Any] = {"type": "Feature", "properties": properties, "geometry": geometry}
    if frame.crs:
        record["crs"] = {"type": "name", "properties": {"name": frame.crs}}
    return json.dumps(record, allow_nan=False) + "\n"
