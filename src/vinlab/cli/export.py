"""``vinlab export``."""

from pathlib import Path

from tyro.conf import Positional

from vinlab.cli.models import load_model
from vinlab.export.onnx import export_onnx


def export(model: Positional[str], out: Positional[Path], /) -> None:
    """Write a trained VIN as ONNX, for maps of any size, any batch and any number of backups.

    Args:
        model: The id of a shipped model such as gridworld/28/vin, or the folder of a run.
        out: The .onnx file to write.
    """
    loaded = load_model(model)
    export_onnx(loaded.network, out)
    print(
        f"Written to {out}. Inputs: observation [B C H W], states [B S 2], iterations; first output: logits."
    )
    if loaded.network.iterations is None:
        print(
            f"{loaded.id} plans until the value settles: iterations is only a limit, and must exceed the moves of the "
            "longest path; rows times columns always do."
        )
        return
    print(
        f"{loaded.id} has K = {loaded.network.iterations} on maps of side {loaded.size}; larger ones need more."
    )
