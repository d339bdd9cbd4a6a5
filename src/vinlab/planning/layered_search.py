"""Value iteration to its fixed point over states with layers, where moves are known: a search, as a layer."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int8
from torch import Tensor, nn

from vinlab.planning.costs import CostMap, _require_costs, _require_goals, refuse_iterations, require_memory
from vinlab.planning.fused.layered_search_function import is_layered_searchable, search_layered_plan
from vinlab.planning.layered_evaluation import reference_layered_plan
from vinlab.planning.moves import LayeredMoves
from vinlab.planning.shortest_path import MEMORY_LIMIT, ShortestPathPlanner
from vinlab.types import Batch, InputError, Iterations


@dataclass(frozen=True)
class LayeredCostMap:
    """The cost of each action in each state, and the states in which a path may end."""

    costs: Float[Tensor, "B L A H W"]
    """Above zero; those of actions that a layer does not have are not read."""
    terminals: Bool[Tensor, "B L H W"]
    """The goals, at least one for each problem."""
    allowed: Bool[Tensor, "B L A H W"] | None = None
    """Actions that can be made at all; without it all that stay on the map."""


@dataclass(frozen=True)
class LayeredPlan(Batch):
    """The result of planning for every cell and layer."""

    reward: Float[Tensor, "B L A H W"]
    q: Float[Tensor, "B L A H W"]
    value: Float[Tensor, "B L H W"]
    moves: Int8[Tensor, "B L H W"] | None = None
    """The first of the best actions; -1 in terminal states and in those without a path; None after K backups."""


class LayeredShortestPathPlanner(nn.Module):
    """``ShortestPathPlanner`` over states with layers; a table of one layer is planned by that planner itself."""

    iterations: None = None
    """There is no number of backups to choose."""

    def __init__(self, *, memory_limit: int = MEMORY_LIMIT) -> None:
        super().__init__()
        self.flat = ShortestPathPlanner(memory_limit=memory_limit)

    def forward(
        self, problem: LayeredCostMap, moves: LayeredMoves, *, iterations: Iterations = None
    ) -> LayeredPlan:
        """Plan for every state at once; works on any H and W."""
        refuse_iterations(iterations)
        require_layers(problem, moves)
        if moves.flat is not None:
            return self._plan_flat(problem, moves)
        batch, layers, actions, rows, cols = problem.costs.shape
        shape = (batch, actions, layers * rows, cols)
        require_memory(shape, item=problem.costs.element_size(), limit=self.flat.memory_limit)
        exists = torch.as_tensor(moves.exists, device=problem.costs.device)
        _require_costs(problem.costs.detach()[:, exists])
        _require_goals(problem.terminals)
        plan = search_layered_plan if is_layered_searchable(problem.costs) else reference_layered_plan
        q, value, greedy = plan(problem.costs, problem.terminals, problem.allowed, moves)
        return LayeredPlan(-problem.costs, q, value, greedy.to(torch.int8))

    def _plan_flat(self, problem: LayeredCostMap, moves: LayeredMoves) -> LayeredPlan:
        allowed = None if problem.allowed is None else problem.allowed[:, 0]
        found = self.flat(CostMap(problem.costs[:, 0], problem.terminals[:, 0], allowed), moves.flat)
        greedy = None if found.moves is None else found.moves[:, None]
        return LayeredPlan(found.reward[:, None], found.q[:, None], found.value, greedy)


def require_layers(problem: LayeredCostMap, moves: LayeredMoves) -> None:
    """Refuse costs and goals that do not fit the table of moves."""
    batch, _, _, rows, cols = problem.costs.shape
    expected = (batch, moves.num_layers, moves.num_actions, rows, cols)
    if tuple(problem.costs.shape) != expected:
        raise InputError(
            f"expected costs of {moves.num_layers} layers and {moves.num_actions} actions, got those of "
            f"{problem.costs.shape[1]} and {problem.costs.shape[2]}."
        )
    if tuple(problem.terminals.shape) != (batch, moves.num_layers, rows, cols):
        raise InputError(
            f"expected terminal states of the shape {(batch, moves.num_layers, rows, cols)}, "
            f"got {tuple(problem.terminals.shape)}."
        )
