"""Training a player by imitation: on any page the right click is one to a page nearest to the target."""

from functools import partial

from jaxtyping import Float
from torch import Tensor

from vinlab.experiments.base import FitContext, TrainingRequest
from vinlab.experiments.web.game.data import GameSets, StateBatch, make_game_sets
from vinlab.experiments.web.game.evaluate import validate_games
from vinlab.experiments.web.game.settings import GameTraining
from vinlab.learners.imitation import imitate
from vinlab.learners.losses import PolicyLoss, set_nll
from vinlab.learners.training_state import Best
from vinlab.networks.links.game import SeenGraphVin


class GameLoss(PolicyLoss):
    """A player with its loss on the first pages of games, where nothing but the links of the page is seen."""

    def forward(self, batch: StateBatch) -> Float[Tensor, ""]:
        """The sum of the losses of all states in the batch."""
        values = self.policy.expect(batch.similarities, batch.found)
        logits = self.policy.logits(values).masked_fill(~batch.links, -float("inf"))
        return set_nll(logits[None], batch.right[None]).sum()


def make_data(config: GameTraining, request: TrainingRequest) -> GameSets:
    """The games of a run."""
    return make_game_sets(config.data, request.data, seed=request.seed)


def fit(config: GameTraining, data: GameSets, network: SeenGraphVin, context: FitContext) -> Best:
    """Imitate the right clicks; the best weights are those that finish most validation games."""
    return imitate(
        network,
        data.states,
        config.learning,
        loss=GameLoss,  # pyright: ignore[reportArgumentType]
        validate=partial(validate_games, data.validation, config.data.kinds),
        **context.options,
    )
