"""A manifest for tests of recording."""

from vinlab.recording.manifest import Manifest

MANIFEST = Manifest(
    id="gridworld/8/vin",
    budget="smoke",
    recipe="default",
    seed=0,
    config={"iterations": 10},
    commit="c0ffee",
    clean=True,
    versions={"python": "3.11"},
    platform="test",
    device="cpu",
    threads=1,
    data_hash="ab",
    started="2020-01-01T00:00:00+00:00",
)
