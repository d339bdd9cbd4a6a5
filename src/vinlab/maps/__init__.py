"""Maps from anywhere: pictures, robots' maps, benchmark maps, geographic rasters and arrays, each a file here."""

from vinlab.maps.grid_map import GridMap, Reading, inflated
from vinlab.maps.read import map_of_bytes, read_map
from vinlab.maps.scenarios import Scenarios, is_scenario_file, read_scenarios
from vinlab.maps.transform import Frame
from vinlab.maps.write_path import write_route

__all__ = [
    "Frame",
    "GridMap",
    "Reading",
    "Scenarios",
    "inflated",
    "is_scenario_file",
    "map_of_bytes",
    "read_map",
    "read_scenarios",
    "write_route",
]
