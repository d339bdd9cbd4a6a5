"""``vinlab export``."""

from pathlib import Path

from tyro.conf import Positional

from vinlab.cli.checks import require_file_name
from vinlab.cli.models import load_model
from vinlab.export.onnx import export_onnx
from vinlab.modules.layered_cost import LayeredAttention


def export(model: Positional[str], out: Positional[Path], /) -> None:
    """Write a trained VIN as ONNX, for maps of any size, any batch and any number of backups.

    Args:
        model: The id of a shipped model such as gridworld/28/vin, or the folder of a run.
        out: The .onnx file to write.
    """
    require_file_name(out, "out")
    loaded = load_model(model)
    export_onnx(loaded.network, out)
    axes = 3 if isinstance(getattr(loaded.network, "attention", None), LayeredAttention) else 2
    print(
        f"Written to {out}. Inputs: observation [B C H W], states [B S {axes}], iterations; first output: logits."
    )
    if loaded.network.iterations is None:
        print(
            f"{loaded.id} plans until the value settles: iterations is only a limit, and must exceed the moves of the "
            "longest path; rows times columns (times layers) always do."
        )
        return
    print(
        f"{loaded.id} has K = {loaded.network.iterations} on maps of side {loaded.size}; larger ones need more."
    )
