"""Faults that earlier tests did not notice, and faults that change nothing that can be seen."""

from typing import NamedTuple


class KnownFault(NamedTuple):
    """A text of a file, what replaces it, and the test that must notice."""

    file: str
    old: str
    new: str
    test: str


KNOWN = {
    "the horizon is three times the expert's states": KnownFault(
        "navigation/evaluation.py",
        "np.maximum(1, 2 * solution.lengths)",
        "np.maximum(1, 3 * solution.lengths)",
        "navigation/test_evaluation.py::test_the_horizon_is_twice_the_states_of_the_experts_path",
    ),
    "paths within 0.001 of each other are equally long": KnownFault(
        "domains/gridworld/expert.py",
        "TIE = 1e-9",
        "TIE = 1e-3",
        "domains/gridworld/test_gridworld_expert.py::"
        "test_paths_that_differ_by_rounding_alone_are_equally_long",
    ),
    "a compiled backup hides NaN": KnownFault(
        "planning/fused/graph.py",
        "better = (q > best[b]) | (q != q)",
        "better = q > best[b]",
        "planning/test_fused_graph.py::test_a_value_that_is_no_number_is_never_hidden",
    ),
    "every epoch has the same order": KnownFault(
        "learners/imitation.py",
        "default_rng([self.seed, epoch])",
        "default_rng([self.seed, 0])",
        "learners/test_imitation.py::test_every_epoch_has_every_problem_once_in_an_order_of_its_own",
    ),
    "the loss is divided by problems": KnownFault(
        "learners/imitation.py",
        "float(self.demonstrations.weights[chosen].sum())",
        "float(len(chosen))",
        "learners/test_imitation.py::test_the_loss_and_the_step_are_means_over_states_not_over_problems",
    ),
    "the last iteration is not validated": KnownFault(
        "learners/trpo/trpo.py",
        "== 0 or done == self.config.iterations",
        "== 0",
        "learners/trpo/test_trpo.py::test_the_last_iteration_is_validated_whenever_the_others_are",
    ),
    "a robot's radius is exclusive": KnownFault(
        "maps/grid_map.py",
        "(np.asarray(distance) <= radius)",
        "(np.asarray(distance) < radius)",
        "maps/test_map_formats.py::test_a_cell_whose_centre_is_exactly_the_radius_away_is_blocked",
    ),
    "cells are rounded towards zero": KnownFault(
        "maps/transform.py",
        "math.floor(row + 0.5), math.floor(col + 0.5)",
        "int(row + 0.5), int(col + 0.5)",
        "maps/test_map_formats.py::test_points_left_of_and_above_the_map_lie_in_cells_with_negative_numbers",
    ),
    "the threshold of ROS for occupied is another": KnownFault(
        "maps/ros.py",
        "default=0.65)",
        "default=0.66)",
        "maps/test_map_formats.py::test_ros_thresholds_are_those_of_the_map_server",
    ),
    "the threshold of ROS for free is another": KnownFault(
        "maps/ros.py",
        "default=0.196)",
        "default=0.19)",
        "maps/test_map_formats.py::test_ros_thresholds_are_those_of_the_map_server",
    ),
    "transparent pixels keep their colour": KnownFault(
        "maps/image.py",
        'if "A" in image.mode or "transparency" in image.info:',
        "if False:",
        "maps/test_map_formats.py::test_transparent_parts_of_a_png_are_white_whatever_colour_they_hide",
    ),
    "exact value iteration stops at the tolerance itself": KnownFault(
        "planning/exact.py",
        "tolerance * (1 - discount) / discount if 0 < discount < 1 else tolerance",
        "tolerance",
        "planning/test_exact.py::test_a_settled_value_is_within_the_tolerance_of_the_true_one_and_no_sooner",
    ),
    "a lock on a removed file counts": KnownFault(
        "recording/lock.py",
        "if _is_current(path, descriptor):",
        "if True:",
        "recording/test_lock.py::test_a_lock_on_a_file_that_was_removed_meanwhile_is_not_held",
    ),
    "metrics are not synced": KnownFault(
        "recording/run.py",
        "            sync(metrics)\n",
        "            pass\n",
        "recording/test_run.py::test_metrics_are_on_the_disk_before_the_checkpoint_that_counts_them",
    ),
}
"""By what they do."""

_ORDER_ALONE = (
    "Only the order changes in which cells wait; what is found is the same, as a finer order is right too."
)
_NEVER_REMOVED = (
    "The link backwards is read when a cell is moved to another bucket, and none leaves the first one."
)

EQUIVALENT: dict[str, str] = {
    "planning/fused/forward.py::clear_margins::2 as 3 in fill(framed, frame.origin + frame.rows * frame.stride - "
    "frame.width // 2, frame.size)": "The margin of the last row, where the range begins, is cleared before.",
    "planning/replanning.py::CostField.set_goals::2 as 3 in self._unit = (ORDER_BUCKETS - 2) / farthest if farthest "
    "else 1.0": _ORDER_ALONE,
    "planning/fused/layered_search.py::search_layers::1.0 as 2.0 in scale = 1.0 / (0.999 * least) if states * most < "
    "MOST_UNITS * least else 0.0": _ORDER_ALONE,
    "planning/fused/layout.py::packed::1 as 2 in width = kernels.shape[-1]": "Kernels are square.",
    "recording/files.py::write_json::False as True in write_text(path, json.dumps(standard_json(to_plain(value)), "
    "indent=2, allow_nan=False) + '\\n')": "standard_json has made null of what is not finite.",
    "planning/fused/search.py::_search::0 as 1 in if heads[0] >= 0:, number 2": _NEVER_REMOVED,
    "planning/fused/search.py::_put_terminals::head >= 0 with Gt": _NEVER_REMOVED,
    "planning/fused/graded_repair.py::_put::1 as 2 in after[cell], before[cell], where[cell], heads[BUCKETS - 1] = "
    "(head, -1, BUCKETS - 1, cell), number 2": "Any number below zero stands for no cell before it.",
    "planning/fused/soft_paths.py::_visit::here == 0.0 or terminals[cell] with And": "It skips cells that have nothing "
    "to pass on: zeros would be added, and terminal cells have no moves.",
    "planning/path_likelihood.py::_sum_paths::value > UNREACHABLE / 2 with GtE": "No value is that number: values are "
    "either near UNREACHABLE or far above it.",
    "planning/fused/graded_sweep.py::_sweep::0 as 1 in best, serves = _around(distance, cells, cell, down[1], half[0], "
    "half[4], cutting)": "The first four moves are the straight ones, of one length.",
    "planning/fused/graded_sweep.py::_lower::through < known < np.inf with LtE": "A cell that is served as well as "
    "before keeps what it has; at most a search takes over sooner, with the same result to the last bit.",
    "planning/fused/local_function.py::fused_local_value_iteration::2 as 3 in q, value, _, _ = _plan(*tensors, "
    "iterations, kept=min(iterations, 2))": "More backups are kept than the two that are read.",
    "planning/fused/layered_search.py::search_layers::0 as 1 in mask = allowed[problem] if len(allowed) > 0 else "
    "allowed[:0].reshape(0, 0, 0, 0), number 6": "A mask without layers has no entries, whatever its sides.",
    "planning/fixed_point.py::FixedPointPlanner.forward::0 as 1 in share = kernels.reward_term(reward, 0)": "All "
    "backups share the kernels there, so the number of the backup is not read.",
    "learners/gps/dynamics.py::_with_prior::True as False in prior_covariance = np.einsum('btk,bkij->btij', shares, "
    "second, optimize=True)": "It chooses how a sum is computed, not what it is.",
}
"""Faults of a sample that no test can notice, by id, with the reason."""
