"""The chapters of the report.

Each has `experiments(scale)`, what to simulate, and `chapter(results, scale)`, its figures, tables and judgements. Its
`rules` turn evidence into the parts that decide a claim.
"""

from reproduction.chapters import (
    constant_against_uniform,
    definitions,
    lung_cancer,
    mixtures_cvar,
    mixtures_mean_variance,
    other_policies,
)

CHAPTERS = (
    constant_against_uniform,
    mixtures_cvar,
    mixtures_mean_variance,
    lung_cancer,
    other_policies,
    definitions,
)
