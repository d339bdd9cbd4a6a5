"""The Gymnasium environments: importing this module registers them.

Gymnasium imports it by itself with ``gymnasium.make("vinlab.envs:vinlab/GridWorld-v0")``.
"""

from typing import Any

import gymnasium

_DOMAINS = "vinlab.domains"

ENVIRONMENTS: dict[str, dict[str, Any]] = {
    "vinlab/GridWorld-v0": {"entry_point": f"{_DOMAINS}.gridworld.gymnasium_env:GridWorldEnvironment"},
    "vinlab/HoleWorld-v0": {
        "entry_point": f"{_DOMAINS}.holeworld.gymnasium_env:HoleWorldEnvironment",
        "vector_entry_point": f"{_DOMAINS}.holeworld.gymnasium_env:HoleWorldVectorEnv",
    },
    "vinlab/ParticleControl-v0": {
        "entry_point": f"{_DOMAINS}.control.gymnasium_env:ParticleControlEnvironment"
    },
}
"""Every environment by its id, and where its class is; the class is imported when it is made."""


def register_environments() -> None:
    """Register every environment with Gymnasium; a second call changes nothing."""
    for id, places in ENVIRONMENTS.items():
        if id not in gymnasium.registry:
            gymnasium.register(id, **places)


register_environments()
