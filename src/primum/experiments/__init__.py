"""Experiments as files."""

from primum.experiments.environments import PaperMixture, VeteransLungCancer
from primum.experiments.experiment import Experiment
from primum.experiments.study import Study

__all__ = ["Experiment", "PaperMixture", "Study", "VeteransLungCancer"]
