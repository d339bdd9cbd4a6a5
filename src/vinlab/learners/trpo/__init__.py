"""Trust-region policy optimisation with a curriculum."""

from vinlab.learners.trpo.advantages import Episodes, discounted_returns, generalised_advantages
from vinlab.learners.trpo.curriculum import Curriculum, CurriculumConfig, PatientRule, ReturnRule
from vinlab.learners.trpo.trpo import Draw, TrpoConfig, TrpoTraining, Worlds, collect_episodes, train_trpo
from vinlab.learners.trpo.trust_region import StepResult, TrustRegionConfig, trust_region_step
from vinlab.learners.trpo.visited_states import VisitedStates, VisitStatistics, aggregate, unique_states

__all__ = [
    "Curriculum",
    "CurriculumConfig",
    "Draw",
    "Episodes",
    "PatientRule",
    "ReturnRule",
    "StepResult",
    "TrpoConfig",
    "TrpoTraining",
    "TrustRegionConfig",
    "VisitStatistics",
    "VisitedStates",
    "Worlds",
    "aggregate",
    "collect_episodes",
    "discounted_returns",
    "generalised_advantages",
    "train_trpo",
    "trust_region_step",
    "unique_states",
]
