"""Map files: images, ROS maps, benchmark maps, geographic rasters and arrays, a module for each format."""

from typing import TYPE_CHECKING, Any

from vinlab.maps.costs import CostOptions
from vinlab.maps.grid_map import GridMap, MapOptions, inflate_obstacles
from vinlab.maps.read import map_from_bytes, read_map
from vinlab.maps.scenarios import Scenarios, read_map_or_scenarios, read_scenarios
from vinlab.maps.slope import Relief, SlopeCurve
from vinlab.maps.transform import Frame
from vinlab.maps.write_path import write_route

if TYPE_CHECKING:
    from vinlab.maps.nav2 import costmap_bytes, write_costmap

__all__ = [
    "CostOptions",
    "Frame",
    "GridMap",
    "MapOptions",
    "Relief",
    "Scenarios",
    "SlopeCurve",
    "costmap_bytes",
    "inflate_obstacles",
    "map_from_bytes",
    "read_map",
    "read_map_or_scenarios",
    "read_scenarios",
    "write_costmap",
    "write_route",
]


def __getattr__(name: str) -> Any:
    # Costmaps are written by few, and reading a map loads no more than it needs.
    if name in ("costmap_bytes", "write_costmap"):
        from vinlab.maps import nav2

        return getattr(nav2, name)
    raise AttributeError(f"module 'vinlab.maps' has no attribute '{name}'")
