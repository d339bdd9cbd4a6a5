"""Fields of requests that no answer could repeat are refused."""

import pytest

from vinlab.serve.schemas import plan_request, world_request
from vinlab.types import InputError

WORLD = {"kind": "maze", "height": 9, "width": 9, "seed": 1}


def test_half_a_surrogate_pair_is_refused_wherever_it_stands():
    assert world_request(WORLD).height == 9
    for odd in ({"kind": "\ud800"}, {"height": "\ud800"}, {"\ud800": 1}, {"seed": ["\ud800"]}):
        with pytest.raises(InputError, match="half a surrogate pair"):
            world_request(WORLD | odd)
        with pytest.raises(InputError, match="half a surrogate pair"):
            plan_request(WORLD | odd)
