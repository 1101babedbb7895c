"""Experiments as files."""

from primum.runs.environments import PaperMixture, VeteransLungCancer
from primum.runs.experiment import Experiment
from primum.runs.studies.study import Study

__all__ = ["Experiment", "PaperMixture", "Study", "VeteransLungCancer"]
