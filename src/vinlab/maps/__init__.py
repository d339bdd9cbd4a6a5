"""Maps from anywhere: pictures, robots' maps, benchmark maps, geographic rasters and arrays, each a file here."""

from vinlab.maps.grid_map import GridMap, MapOptions, inflate_obstacles
from vinlab.maps.read import map_from_bytes, read_map
from vinlab.maps.scenarios import Scenarios, is_scenario_file, read_scenarios
from vinlab.maps.transform import Frame
from vinlab.maps.write_path import write_route

__all__ = [
    "Frame",
    "GridMap",
    "MapOptions",
    "Scenarios",
    "inflate_obstacles",
    "is_scenario_file",
    "map_from_bytes",
    "read_map",
    "read_scenarios",
    "write_route",
]
