"""The thirty claims of the paper that are judged, by number, and the thresholds in their rules."""

from __future__ import annotations

from reproduction.judgement import Claim

REWARDS = (0.4, 0.3, 0.2)  # r of Figures 1, 2 and 3: the reward of the constant arm

LOGARITHMIC_INDEX = 0.1  # index of growth: 0 is a logarithm, 1 is a line
ALMOST_LINEAR_INDEX = 0.9
RARE_FRACTION = 0.01  # of replications
LEARNED_FRACTION = 0.95  # of replications
PROBABILITY_TOLERANCE = 0.02
NEGLIGIBLE_FRACTION = 0.1  # of the smallest growth of regret that is possible
FEWEST_PROBLEMS = 2  # a single one could be chance
ROUNDING_ERROR = 1e-9
BOUNDED_FACTOR = 1.1  # by which a bounded quantity may grow from 100 to 400 observations
FLAT_EXPONENT = 0.05  # a power of T that still counts as none
LOG10_TOLERANCE = 0.01
PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0)  # C of MARAB
LONG_SURVIVAL = 900  # days: the tenth category of 100 days

_SECTION_4 = "Section 4, before Theorem 1"
_SECTION_5_1 = "Section 5.1, Figures 1 to 3"
_SECTION_5_4 = "Section 5.4, Figure 8"
_BOTH_CONDITIONS = "Both are conditions of the definition: failing one is enough to fail."
_ANY_ESTIMATOR = (
    "An unbiased estimator from n Bernoulli trials may exist: its expectation is a polynomial in the success "
    "probability, so the divided differences of the true value must vanish. And n times the largest change by one of n "
    f"observations, at n = 400, is at most {BOUNDED_FACTOR} times that at n = 100. {_BOTH_CONDITIONS}"
)

_ALL = (
    Claim(
        1,
        "Section 2",
        "Several algorithms have been shown to produce admissible policies, including UCB1, Thompson sampling and BESA",
        "BESA's regret is logarithmic (it is admissible)",
        f"On the paper's example, for each r, the index of growth of BESA's mean regret is at most "
        f"{LOGARITHMIC_INDEX}.",
    ),
    Claim(
        2,
        "Section 2",
        "two algorithms which do not produce admissible policies, epsilon-greedy and Boltzmann exploration, behave "
        "better than UCB1 on certain problems",
        "Epsilon-greedy and Boltzmann exploration beat UCB1 on certain problems",
        f"On at least {FEWEST_PROBLEMS} problems of this report, each has clearly lower regret than UCB1: the 95 % "
        "interval of the paired difference is below 0.",
    ),
    Claim(
        3,
        "Section 2",
        "this definition is going to penalize the algorithm if it switches between optimal arms",
        "Sani's regret penalizes switching between equally good arms; safety-aware regret does not",
        "For a Bernoulli arm and a constant arm of equal mean-variance, alternating between them has a regret above 0 "
        "by the definition of Sani et al., and a safety-aware regret of 0.",
    ),
    Claim(
        4,
        "Section 3, Example 1",
        "This is a well-behaved safety function if we use the following estimator for computing empirical mean and "
        "variance",
        "Mean minus rho times variance is well-behaved",
        "The estimate from 2 to 6 Bernoulli trials is unbiased, by exact expectations; and n times the largest change "
        f"by one of n observations, at n = 400, is at most {BOUNDED_FACTOR} times that at n = 100. {_BOTH_CONDITIONS}",
        together=True,
    ),
    Claim(
        5,
        "Section 3, after Example 1",
        "Other types of well-behaved safety function can be defined as a function of standard deviation",
        "The mean minus the standard deviation is well-behaved",
        "A function of standard deviation is read as the mean minus rho times the standard deviation, with rho = 1. "
        + _ANY_ESTIMATOR,
        together=True,
    ),
    Claim(
        6,
        "Section 3, after Example 1",
        "Other types of well-behaved safety function can be defined as a function of standard deviation or conditional "
        "value at risk",
        "CVaR is well-behaved",
        _ANY_ESTIMATOR,
        together=True,
    ),
    Claim(
        7,
        _SECTION_4,
        "there exists a probability of r that the BESA algorithm is going to constantly choose the first arm",
        "With probability r, BESA tries the better arm once and never again",
        f"For each r, the fraction of such replications is within {PROBABILITY_TOLERANCE} of r.",
    ),
    Claim(
        8,
        _SECTION_4,
        "BESA+ evades this problem by letting the second arm be selected enough times such that it eventually becomes "
        "distinguishable from the first arm",
        "BESA+ does not get stuck on the worse arm",
        f"For each r, at most {100 * RARE_FRACTION:g} % of the replications are stuck at the end (the better arm has "
        "less than a tenth of the pulls), and fewer than at a tenth of the horizon.",
    ),
    Claim(
        9,
        "Section 4, below Algorithm 1",
        "this change in the algorithm is negligible in terms of establishing the total expected regret, as we cannot "
        "achieve any better bound than log(T)",
        "The floor log t does not change the order of the regret",
        "The floor forces at most log T + 1 pulls of an arm by the end. Another condition asks whether that is small "
        f"compared with what a good policy needs: at most {100 * NEGLIGIBLE_FRACTION:g} % of the smallest growth of "
        "regret that is possible for a policy that is good on all problems (Burnetas and Katehakis).",
    ),
    Claim(
        10,
        "Section 4, Theorem 1",
        "the expected safety-aware regret of the Algorithm BESA+ up to time T is upper bounded as follows: R_T <= zeta "
        "log(T) + theta",
        "With two arms, the regret of BESA+ is at most zeta log T + theta",
        "On the paper's example, for each r, the exact lower bound on the regret grows by a power of T of at most "
        f"{FLAT_EXPONENT} from T = e^40 to e^80, and never exceeds the bound of the theorem for T up to e^400. One r "
        "for which either fails refutes the theorem.",
        together=True,
    ),
    Claim(
        11,
        "Section 4, Theorem 2",
        "R_T <= (Delta_max ceil(log k) / Delta_a) [zeta log(T) + theta] + k Delta_max n",
        "With k arms, the regret of BESA+ is at most a multiple of zeta log T + theta plus a constant",
        "With k = 2 it is Theorem 1 plus a constant, so for each r the power of T must be at most "
        f"{FLAT_EXPONENT} too; one r for which it is not refutes the theorem.",
        together=True,
    ),
    Claim(
        12,
        _SECTION_5_1,
        "BESA has an almost a linear regret behavior",
        "BESA's regret is almost linear",
        f"For each r, the index of growth of BESA's mean regret is at least {ALMOST_LINEAR_INDEX} (1 is a line).",
    ),
    Claim(
        13,
        _SECTION_5_1,
        "BESA+ can learn the optimal arm within the given time horizon",
        "BESA+ learns the better arm within the horizon",
        f"For each r, in at least {100 * LEARNED_FRACTION:g} % of the replications most pulls in the last tenth of the "
        "steps are of the better arm.",
    ),
    Claim(
        14,
        _SECTION_5_1,
        "its expected accumulated regret is upper bounded by a log function",
        "The mean regret of BESA+ is bounded by a logarithm",
        f"For each r, the index of growth of the mean regret of BESA+ is at most {LOGARITHMIC_INDEX} (0 is a "
        "logarithm).",
    ),
    Claim(
        15,
        _SECTION_5_1,
        "It is also easy to notice that BESA+ has a faster convergence rate compared with BESA.",
        "BESA+ has lower regret than BESA",
        "For each r, the final regret of BESA+ minus that of BESA, paired by replication, is below 0.",
    ),
    Claim(
        16,
        _SECTION_5_1,
        "As r gets closer to 0.5, the problem becomes harder.",
        "The problem gets harder as r approaches 0.5",
        "From r = 0.2 to 0.3 and from 0.3 to 0.4, both the final regret of BESA+ and the fraction of its replications "
        "that are stuck increase.",
    ),
    Claim(
        17,
        "Section 5.2, the equation for CVaR",
        "conditional value at risk level alpha is defined as the expected values of the quantiles of reward "
        "distribution",
        "CVaR is E[X | X < v], with v the largest b for which P(X < b) is at most alpha",
        "On an arm of the paper's environment and on two Bernoulli arms, the printed number exists and equals the mean "
        "of the worst 10 %.",
    ),
    Claim(
        18,
        "Section 5.2",
        "For MARAB algorithm, we have used grid search and set the value C=1.",
        "C = 1 is the best choice for MARAB",
        "The mean final regret of MARAB with C = 1 minus that with the best other C of "
        f"{', '.join(f'{c:g}' for c in PENALTIES)} is at most 0, paired over environments. The other C is chosen in "
        "every second environment and compared in the rest, so that it cannot win by chance.",
    ),
    Claim(
        19,
        "Section 5.2, Figures 4 and 5",
        "It is noticeable that in both figures BESA+ has a lower variance in experiments.",
        "Under CVaR, BESA+ has a lower variance than MARAB",
        "The standard deviation of BESA+ over replications in the same environment, divided by that of MARAB (C = 1), "
        "is at most 1, for the final regret and for the fraction of best-arm pulls. Variances are averaged over "
        "environments.",
    ),
    Claim(
        20,
        "Section 5.3, Figures 6 and 7",
        "Again, we can see that BESA+ has a relatively small variance over 10 experiments.",
        "Under mean-variance, BESA+ has a relatively small variance",
        "The standard deviation of BESA+ over replications in the same environment, divided by that of MV-LCB and by "
        "that of ExpExp, is at most 1, for the final regret and for the fraction of best-arm pulls. Variances are "
        "averaged over environments.",
    ),
    Claim(
        21,
        _SECTION_5_4,
        "while treatment 2 has a higher mean than treatment 1 due to the effect of outliers",
        "Treatment 2 has the higher mean because of outliers",
        "Among the recorded patients, the mean category of treatment 2 is above that of treatment 1, and below it once "
        f"those who survived {LONG_SURVIVAL} days or more, the tenth category, are left out.",
    ),
    Claim(
        22,
        _SECTION_5_4,
        "it has a higher level of variance compared to treatment 1 [...] treatment 1 has a more consistent behavior "
        "than treatment 2",
        "Treatment 2 has the higher variance, treatment 1 is more consistent",
        "Among the recorded patients, the category has a larger variance under treatment 2, and two patients differ "
        "more under treatment 2 (mean absolute difference, which is less sensitive to outliers).",
    ),
    Claim(
        23,
        _SECTION_5_4,
        "a higher number of patients who received treatment 2 died early",
        "More patients on treatment 2 died early",
        "More of the recorded patients are in the first category under treatment 2, in number and as a fraction.",
    ),
    Claim(
        24,
        _SECTION_5_4,
        "by setting rho=1, treatment 1 has less expected mean-variance regret than treatment 2",
        "At rho = 1, treatment 1 is preferred",
        "The mean minus the variance of the recorded patients' rewards is larger under treatment 1, on each scale that "
        "the paper may have used: the category rescaled to [0, 1], in tenths, from 1 to 10, and days / 1000.",
    ),
    Claim(
        25,
        "Section 5.4, Figure 9",
        "BESA+ has relatively better performance than all the other ones",
        "On the clinical data, BESA+ is better than all the others",
        "For each of the five other policies, the 95 % interval of the paired difference in cumulative regret at the "
        "horizon, BESA+ minus the other, is below 0 (rho = 1, category rescaled to [0, 1]).",
    ),
    Claim(
        26,
        "Section 6, and the abstract",
        "showed that it can have better performance in most cases",
        "BESA+ does better than its competitors in most cases",
        "On the paper's own problems and against its own competitors, BESA+ has clearly lower regret in more than half "
        "of the comparisons: the 95 % interval of the paired difference is below 0.",
    ),
    Claim(
        27,
        "Appendix A.2",
        "Pr[for all s in M_j,t: a_s = a] = the product over s in M_j,t of Pr[v_a,s of the sub-sample > v_*,s]",
        "The probability of losing all duels of an interval is the product of the probabilities of losing each",
        "On constant 0.4 against uniform, in each interval in which the better arm has the same 3 to 7 observations, "
        f"log10 of the ratio of the two is from -{LOG10_TOLERANCE} to {LOG10_TOLERANCE}. One interval in which it is "
        "not refutes the equation.",
        together=True,
    ),
    Claim(
        28,
        "Appendix A.2, Lemma 1",
        "for all x > 1 we have: log(x) + 1/log(x) > log(x+1)",
        "log x + 1 / log x exceeds log(x + 1) for all x > 1",
        "On a fine grid from 1 + 10^-12 to 10^12, 1 / log x exceeds log(x + 1) - log x.",
        together=True,
    ),
    Claim(
        29,
        "Appendix A.2, Lemma 2",
        "can be upper bounded by a harmonic series",
        "beta is of the order of log T (checked numerically, which is no proof)",
        "beta depends on the gap and gamma through their ratio alone. For the ratios 1, 0.7 and 0.5 and T from 10^3 to "
        "10^7, beta is at most the printed bound, and beta / log T at the largest T does not exceed its earlier "
        "values. One number that does refutes the lemma; all together do not prove it.",
        together=True,
    ),
    Claim(
        30,
        "Appendix B",
        "for x_i in [0, 1] we have |v(x_1, ..., x_i, ..., x_n) - v(x_1, ..., x'_i, ..., x_n)| <= 1/n + rho 1/(2n)",
        "One observation changes mean minus rho times variance by at most (1 + rho/2) / n",
        "For rho = 0.5, 1 and 2, with the variance divided by n as in the appendix, n times the largest change found "
        "is at most 1 + rho/2 for every n from 2 on. One rho for which it is not refutes the inequality. The variance "
        "divided by n - 1 is shown for comparison and decides nothing.",
        together=True,
    ),
)
CLAIMS = {claim.number: claim for claim in _ALL}
