"""Faults that earlier tests did not notice, and faults that change nothing that can be seen."""

KNOWN = {
    "the horizon is three times the expert's states": (
        "navigation/evaluation.py", "np.maximum(1, 2 * solution.lengths)", "np.maximum(1, 3 * solution.lengths)"),
    "paths within 0.001 of each other are equally long": ("domains/gridworld/expert.py", "TIE = 1e-9", "TIE = 1e-3"),
    "a compiled backup hides NaN": (
        "planning/fused/graph.py", "better = (q > best[b]) | (q != q)", "better = q > best[b]"),
    "every epoch has the same order": (
        "learners/imitation.py", "default_rng([self.seed, self.epoch])", "default_rng([self.seed, 0])"),
    "the loss is divided by problems": (
        "learners/imitation.py", "float(self.demonstrations.weights[chosen].sum())", "float(len(chosen))"),
    "the last iteration is not validated": (
        "learners/trpo/trpo.py", "== 0 or done == self.config.iterations", "== 0"),
    "a robot's radius is exclusive": (
        "maps/grid_map.py", "(np.asarray(distance) <= radius)", "(np.asarray(distance) < radius)"),
    "cells are rounded towards zero": (
        "maps/transform.py", "math.floor(row + 0.5), math.floor(col + 0.5)", "int(row + 0.5), int(col + 0.5)"),
    "the thresholds of ROS are inclusive and shifted": (
        "maps/ros.py", 'default=0.65)', 'default=0.66)'),
    "the free threshold of ROS is another": ("maps/ros.py", 'default=0.196)', 'default=0.19)'),
    "transparent pixels keep their colour": (
        "maps/image.py", 'if "A" in image.mode or "transparency" in image.info:', 'if False:'),
    "exact value iteration stops at the tolerance itself": (
        "planning/exact.py", "tolerance * (1 - discount) / discount if 0 < discount < 1 else tolerance", "tolerance"),
    "a lock on a removed file counts": ("recording/lock.py", "if _is_current(path, descriptor):", "if True:"),
    "metrics are not synced": ("recording/run.py", "            sync(metrics)\n", "            pass\n"),
}  # fmt: skip
"""By what they do: file, text, and the text that replaces it."""

EQUIVALENT: dict[str, str] = {}
"""Faults of a sample that no test can notice, by id, with the reason."""
