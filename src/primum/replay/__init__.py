"""One replication of a simulation, step by step, with the reason for each decision."""

from primum.replay.replaying import MOST_STEPS, replay
from primum.replay.sequences import trajectories
from primum.replay.steps import Challenge, Duel, Reason, Replay, Sample, Step

__all__ = ["MOST_STEPS", "Challenge", "Duel", "Reason", "Replay", "Sample", "Step", "replay", "trajectories"]
