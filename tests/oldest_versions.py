"""Print the oldest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path


def oldest_versions(text: str) -> list[str]:
    """A line ``name==version`` for each dependency with a lower bound."""
    project = tomllib.loads(text)["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    found = (re.match(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)", entry) for entry in listed)
    return sorted({f"{match[1]}=={match[2]}" for match in found if match})


if __name__ == "__main__":
    print(
        "\n".join(oldest_versions((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")))
    )
