"""The gated planner: Lee et al., Gated Path Planning Networks, ICML 2018.

Value iteration is seen as a recurrent network, whose update is replaced by that of an LSTM: in every step a cell reads
one number from the hidden state of its neighbourhood, ``x = conv(h)``, and updates ``h, c = LSTM(x, (h, c))``.

The updates stand here in plain tensor operations, and for the CPU as one autograd function. It keeps hidden states as
``[units, cells]``, so that a gate is one contiguous block. What a cell reads from its window is a product of matrices
and a sum over shifted maps; what it read and a 1 are rows of the hidden state, so that one product gives all gates.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional

from vinlab.networks.literature.dense import DenseConfig, DensePolicy
from vinlab.planning.tensors import are_plain, are_plain_floats, needed_gradients


class GatedPlanner(DensePolicy):
    """K - 1 LSTM updates of every cell, from a first state that two convolutions give; a linear layer acts."""

    def __init__(self, *, motion: str, iterations: int, hidden: int, width: int) -> None:
        super().__init__(motion=motion, iterations=iterations)
        self.features = nn.Conv2d(self.channels, hidden, 3, padding=1)
        self.first_hidden = nn.Conv2d(hidden, hidden, 3, padding=1)
        self.first_cell = nn.Conv2d(hidden, hidden, 3, padding=1)
        self.neighbourhood = nn.Conv2d(hidden, 1, width, padding=width // 2)
        self.update = nn.LSTMCell(1, hidden)
        self.policy = nn.Conv2d(hidden, self.outputs, 1, bias=False)
        with torch.no_grad():  # cells start by remembering, so that gradients reach the first state
            self.update.bias_ih[hidden : 2 * hidden] += 1.0

    def logits(
        self, observation: Float[Tensor, "B C H W"], iterations: int | None
    ) -> Float[Tensor, "B M H W"]:
        """The logits after K - 1 updates."""
        features = self.features(observation)
        read, update = self.neighbourhood, self.update
        recurrent = (update.weight_ih, update.weight_hh, update.bias_ih + update.bias_hh)
        weights = UpdateWeights(read.weight, cast(Tensor, read.bias), *recurrent)
        hidden, cell = self.first_hidden(features), self.first_cell(features)
        return self.policy(gated_updates(hidden, cell, weights, (iterations or 1) - 1))


@dataclass(frozen=True)
class GatedPlannerConfig(DenseConfig):
    """The authors' gated planner; they have 150 hidden units and K and the width of the reading filter by search."""

    kind: ClassVar[str] = "gated-planner"
    policy: ClassVar = GatedPlanner
    iterations: int = 20
    hidden: int = 150
    width: int = 11


@dataclass(frozen=True)
class UpdateWeights:
    """The weights of an update: of the filter that reads, and of the LSTM, whose gates are i, f, g, o."""

    read: Float[Tensor, "1 D F F"]
    read_bias: Float[Tensor, " 1"]
    from_read: Float[Tensor, "G 1"]
    from_hidden: Float[Tensor, "G D"]
    bias: Float[Tensor, " G"]


def gated_updates(
    hidden: Float[Tensor, "B D H W"], cell: Float[Tensor, "B D H W"], weights: UpdateWeights, updates: int
) -> Float[Tensor, "B D H W"]:
    """The hidden state after some updates of every cell."""
    tensors = (hidden, cell, *vars(weights).values())
    if are_plain_floats(*tensors) and hidden.numel() and updates and weights.read.shape[2] % 2:
        return FusedUpdates.apply(*tensors, updates)  # pyright: ignore[reportReturnType]
    return reference_updates(hidden, cell, weights, updates)


def reference_updates(
    hidden: Float[Tensor, "B D H W"], cell: Float[Tensor, "B D H W"], weights: UpdateWeights, updates: int
) -> Float[Tensor, "B D H W"]:
    """The same in plain tensor operations."""
    for _ in range(updates):
        read = functional.conv2d(hidden, weights.read, weights.read_bias, padding=weights.read.shape[-1] // 2)
        gates = functional.conv2d(hidden, weights.from_hidden[..., None, None], weights.bias)
        gates = gates + weights.from_read[..., None] * read
        enter, forget, change, leave = gates.chunk(4, dim=1)
        cell = forget.sigmoid() * cell + enter.sigmoid() * change.tanh()
        hidden = leave.sigmoid() * cell.tanh()
    return hidden


class FusedUpdates(torch.autograd.Function):
    """All updates; for the gradient they keep gates, cells and hidden states of each."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        """Update, and keep every step."""
        *tensors, updates = inputs
        hidden, cell, *weights = (tensor.detach() for tensor in tensors)
        keep = any(ctx.needs_input_grad)
        steps = _Updates(tuple(hidden.shape), *_matrices(*weights))
        found = steps.forward(_units_first(hidden), _units_first(cell), updates, keep=keep)
        ctx.save_for_backward(*tensors)
        ctx.steps, ctx.updates = steps, updates
        return _batch_first(found, hidden.shape)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The gradient of each input; in plain operations where a second derivative is needed."""
        inputs = ctx.saved_tensors
        if not torch.is_grad_enabled() and are_plain(gradient):
            return *ctx.steps.backward(_units_first(gradient), inputs), None
        found = reference_updates(inputs[0], inputs[1], UpdateWeights(*inputs[2:]), ctx.updates)
        return *needed_gradients(found, inputs, ctx.needs_input_grad[: len(inputs)], gradient), None


def _units_first(image: Tensor) -> Tensor:
    return image.movedim(1, 0).reshape(image.shape[1], -1).contiguous()


def _batch_first(units: Tensor, shape: torch.Size | tuple[int, ...]) -> Tensor:
    batch, _, rows, cols = shape
    return units.unflatten(1, (batch, rows, cols)).movedim(0, 1).contiguous()


def _matrices(
    read: Tensor, read_bias: Tensor, from_read: Tensor, from_hidden: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor, float]:
    """What a cell sends to each place of its window, the gates with the change's rows doubled, and the read bias."""
    gates = torch.cat([from_hidden, from_read, bias[:, None]], dim=1)
    units = from_hidden.shape[1]
    gates[2 * units : 3 * units] *= 2  # tanh(x) = 2 sigmoid(2 x) - 1
    return read[0].flatten(1).T.contiguous(), gates, float(read_bias)


class _Updates:
    """Some updates with the same weights, and their gradient."""

    def __init__(self, shape: tuple[int, ...], sending: Tensor, gating: Tensor, read_bias: float) -> None:
        batch, self.units, rows, cols = shape
        self.map = (batch, rows, cols)
        self.states = batch * rows * cols
        self.sending, self.gating, self.read_bias = sending, gating, read_bias
        self.kept: list[tuple[Tensor, Tensor, Tensor, Tensor]] = []

    def _maps(self, numbers: Tensor) -> Any:
        return numbers.numpy().reshape(-1, *self.map)

    def _with_ones(self) -> Tensor:
        """Room for a hidden state, what each cell reads, and a row of ones."""
        room = torch.empty(self.units + 2, self.states)
        room[-1] = 1
        return room

    def forward(self, hidden: Tensor, cell: Tensor, updates: int, *, keep: bool) -> Tensor:
        """The last hidden state."""
        from vinlab.networks.literature import _gated_kernels as kernels

        state, units = self._with_ones(), self.units
        state[:units] = hidden
        sent = torch.empty(len(self.sending), self.states)
        for _ in range(updates):
            torch.mm(self.sending, state[:units], out=sent)
            kernels.fold(self._maps(sent), self.read_bias, self._maps(state[units])[0])
            gates = torch.mm(self.gating, state).sigmoid_()
            updated, following = torch.empty_like(cell), self._with_ones()
            kernels.update_cell(gates.numpy(), cell.numpy(), updated.numpy())
            squashed = (2 * updated).sigmoid_()
            kernels.update_hidden(gates.numpy(), squashed.numpy(), following.numpy())
            if keep:
                self.kept.append((state, cell, gates, squashed))
            state, cell = following, updated
        return state[:units]

    def backward(self, to_hidden: Tensor, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """The gradients of hidden state, cell and weights."""
        from vinlab.networks.literature import _gated_kernels as kernels

        units = self.units
        to_cell, to_gates = torch.zeros_like(to_hidden), torch.empty(4 * units, self.states)
        to_sent = torch.empty(len(self.sending), self.states)
        sending, gating = torch.zeros_like(self.sending), torch.zeros_like(self.gating)
        read_bias = torch.zeros(())
        for state, cell, gates, squashed in reversed(self.kept):
            kept = (gates, squashed, cell, to_hidden, to_cell, to_gates)
            kernels.backpropagate_update(*(tensor.numpy() for tensor in kept))
            gating.addmm_(to_gates, state.T)
            to_state = torch.mm(self.gating[:, :-1].T, to_gates)
            read_bias += to_state[units].sum()
            kernels.unfold(self._maps(to_state[units])[0], self._maps(to_sent))
            sending.addmm_(to_sent, state[:units].T)
            to_hidden = to_state[:units].addmm_(self.sending.T, to_sent)
        gating[2 * units : 3 * units] *= 2
        return (
            _batch_first(to_hidden, inputs[0].shape),
            _batch_first(to_cell, inputs[0].shape),
            sending.T.reshape(inputs[2].shape),
            read_bias.reshape(1),
            gating[:, units : units + 1],
            gating[:, :units],
            gating[:, -1],
        )
