"""``vinlab serve``."""

from vinlab.cli.models import require_device
from vinlab.serve.server import models_for_page
from vinlab.serve.server import serve as serve_page


def serve(
    model: tuple[str, ...] = (), host: str = "127.0.0.1", port: int = 8028, device: str = "cpu"
) -> None:
    """Start a local page on which a network plans on maps that you draw.

    Args:
        model: Ids or folders of runs to offer; the shipped models that plan on maps and images if not given.
        host: Address to listen on; only this machine can reach the default.
        port: Port to listen on; 0 takes any free one.
        device: Device to plan on, such as cpu or cuda.
    """
    require_device(device)
    models = models_for_page(model)
    for served in models.values():
        served.network.to(device)
    serve_page(models, host=host, port=port)
