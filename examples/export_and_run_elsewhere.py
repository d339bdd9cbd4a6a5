"""Export a trained VIN to ONNX and run it without PyTorch: onnxruntime plans, NumPy follows the moves."""

import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

import vinlab
from vinlab.export.onnx import export_onnx
from vinlab.models import shipped_ids
from vinlab.networks.grid.configs import VinConfig

MOVES = np.array([(-1, 0), (1, 0), (0, 1), (0, -1), (-1, 1), (-1, -1), (1, 1), (1, -1)])
"""N, S, E, W, NE, NW, SE, SW."""


def write_model(path: Path) -> None:
    """The only part that needs vinlab; on the command line it is ``vinlab export gridworld/28/vin vin.onnx``."""
    known = "gridworld/28/vin" in shipped_ids()
    network = vinlab.load("gridworld/28/vin").network if known else VinConfig(iterations=36).build()
    export_onnx(network, path)


def main() -> None:
    path = Path(tempfile.mkdtemp()) / "vin.onnx"
    write_model(path)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])

    rows, cols, goal = 20, 30, (16, 27)
    observation = np.zeros((1, 2, rows, cols), np.float32)  # any height and width
    observation[0, 0, [0, -1]] = observation[0, 0, :, [0, -1]] = 1  # walls around
    observation[0, 0, 5:9, 6:10] = observation[0, 0, 11:18, 20:23] = 1  # and within
    observation[0, 1, *goal] = 10  # the goal

    cells = np.argwhere(np.ones((rows, cols)))[None]
    feed = {"observation": observation, "states": cells, "iterations": np.array(40, np.int64)}
    logits = np.asarray(session.run(["logits"], feed)[0])  # there are reward, value and q as well
    moves = logits.argmax(-1).reshape(rows, cols)

    here, steps = (16, 2), 0
    while here != goal and steps < rows * cols:
        row, col = MOVES[moves[here]] + here
        free = 0 <= row < rows and 0 <= col < cols and not observation[0, 0, row, col]
        here, steps = ((int(row), int(col)) if free else here), steps + 1
    print(f"{path.stat().st_size // 1024} kB of ONNX; at {here} after {steps} steps, goal {goal}.")


if __name__ == "__main__":
    main()
