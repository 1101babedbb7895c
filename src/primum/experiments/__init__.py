"""Experiments as files."""

from primum.experiments.experiment import Experiment
from primum.experiments.paper_mixture import PaperMixture

__all__ = ["Experiment", "PaperMixture"]
