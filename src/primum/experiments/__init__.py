"""Experiments as files."""

from primum.experiments.environments import PaperMixture, VeteransLungCancer
from primum.experiments.experiment import Experiment

__all__ = ["Experiment", "PaperMixture", "VeteransLungCancer"]
