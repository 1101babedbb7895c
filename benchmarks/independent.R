# Numbers of trials by programs that others wrote, for independent.py to compare ours with.
#
#   Rscript benchmarks/independent.R ADAPTR_LIBRARY RARTRIALS_SOURCE > benchmarks/independent.csv
#
# needs R's package rpact, adaptr installed in the folder ADAPTR_LIBRARY, and the sources of RARtrials in the
# folder RARTRIALS_SOURCE. It takes some ten minutes; independent.py needs only what it printed.

suppressPackageStartupMessages(library(rpact))
folders <- commandArgs(trailingOnly = TRUE)
library(adaptr, lib.loc = folders[1])
for (file in c("functions.r", "dabcd_min_var.r", "sim_RPTW.r")) source(file.path(folders[2], "R", file))

base <- paste("R", getRversion())
of <- function(package, where = NULL) paste(package, packageVersion(package, lib.loc = where))
rartrials <- paste("RARtrials", read.dcf(file.path(folders[2], "DESCRIPTION"), "Version"))
csv <- function(name, value, error = 0, program = base)
  cat(sprintf("%s,%.12g,%.3g,%s\n", name, as.numeric(value), as.numeric(error), program), sep = "")
share <- function(name, hits, program) csv(name, mean(hits), sd(hits) / sqrt(length(hits)), program)
cat("name,value,error,program\n")

# --- boundaries of group sequential designs ---
boundaries <- function(name, looks, alpha, spending, sided)
  csv(paste(name, seq_along(looks), sep = "."), program = of("rpact"), value = getDesignGroupSequential(
    kMax = length(looks), informationRates = looks, alpha = alpha, sided = sided, typeOfDesign = spending
  )$criticalValues)
boundaries("obrien-fleming.fifths", (1:5) / 5, 0.025, "asOF", 1)
boundaries("pocock.fifths", (1:5) / 5, 0.025, "asP", 1)
boundaries("obrien-fleming.uneven", c(0.3, 0.55, 0.7, 1), 0.05, "asOF", 1)
boundaries("pocock.uneven", c(0.3, 0.55, 0.7, 1), 0.05, "asP", 1)
boundaries("obrien-fleming.two-sided", (1:4) / 4, 0.05, "asOF", 2)

sequential <- function(name, treated, its) {
  found <- getSimulationRates(
    getDesignGroupSequential(kMax = 5, alpha = 0.025, typeOfDesign = "asP"), groups = 2, pi1 = treated, pi2 = 0.3,
    plannedSubjects = 40 * (1:5), maxNumberOfIterations = its, seed = 20201, directionUpper = TRUE
  )
  rejects <- as.numeric(found$overallReject)
  csv(paste0(name, ".rejects"), rejects, sqrt(rejects * (1 - rejects) / its), of("rpact"))
  stops <- as.numeric(found$rejectPerStage)[1:4]
  stops <- c(stops, 1 - sum(stops)) # share of the trials that end at each look
  size <- 40 * sum(stops * (1:5))
  csv(paste0(name, ".size"), size, sqrt((sum(stops * (40 * (1:5))^2) - size^2) / its), of("rpact"))
}
sequential("group-sequential.null", 0.3, 200000)
sequential("group-sequential.effect", 0.5, 200000)

# --- tests of one data set ---
counts <- matrix(c(21, 17, 12, 28), 2)
csv("fisher.two-sided", fisher.test(counts)$p.value)
csv("fisher.greater", fisher.test(counts, alternative = "greater")$p.value)
pooled <- prop.test(c(21, 12), c(38, 40), correct = FALSE)
csv("pooled-z.statistic", sqrt(pooled$statistic))
csv("pooled-z.p", pooled$p.value)
logistic <- summary(glm(cbind(c(21, 12), c(17, 28)) ~ c(1, 0), family = binomial))$coefficients
csv("log-odds.ratio", logistic[2, 1])
csv("log-odds.error", logistic[2, 2])
control <- c(2.1, 3.4, 1.9, 5.6, 4.4, 3.8, 2.7, 3.4, 6.1)
new <- c(4.9, 3.4, 6.8, 7.2, 5.6, 4.1, 8.3)
welch <- t.test(new, control)
csv("welch.statistic", welch$statistic)
csv("welch.p", welch$p.value)
csv(c("welch.low", "welch.high"), welch$conf.int)
csv("mann-whitney.two-sided", wilcox.test(new, control, exact = FALSE)$p.value)
csv("mann-whitney.greater", wilcox.test(new, control, exact = FALSE, alternative = "greater")$p.value)

# --- posterior probabilities, and values of a distribution ---
better <- integrate(function(x) dbeta(x, 22, 18) * pbeta(x, 13, 29), 0, 1, rel.tol = 1e-12)
csv("posterior.better", better$value)
worst <- qbeta(0.1, 2, 5)
csv("beta.quantile", worst)
csv("beta.cvar", integrate(function(x) x * dbeta(x, 2, 5), 0, worst, rel.tol = 1e-12)$value / 0.1)
csv("beta.entropic", -log(integrate(function(x) exp(-3 * x) * dbeta(x, 2, 5), 0, 1, rel.tol = 1e-12)$value) / 3)

# --- response-adaptive allocation ---
# RARtrials' switch is the wrong way round: dabcd = TRUE returns the target, FALSE the Hu-Zhang probabilities.
for (target in c("RSIHR", "Neyman")) for (coin in c(FALSE, TRUE))
  csv(paste("allocation", target, if (coin) "hu-zhang" else "target", sep = "."),
      dabcd_min_var(c(10, 21), c(25, 35), 2, target, dabcd = !coin)[2], program = rartrials)

set.seed(20202)
for (effect in c(0.5, 0.7)) {
  found <- replicate(10000, sim_RPTW(
    Pats = 10, nMax = 4000, TimeToOutcome = 0, enrollrate = 0.9, na0 = 1, nb0 = 1, na1 = 1, nb1 = 1,
    h = c(0.5, effect), N2 = 192, side = "upper", Z = 1.988
  )[c(1, 4)])
  name <- if (effect == 0.5) "play-the-winner.null" else "play-the-winner.effect"
  share(paste0(name, ".rejects"), unlist(found[1, ]), rartrials)
  share(paste0(name, ".share"), sapply(found[2, ], function(n) n[2] / sum(n)), rartrials)
}

for (last in c(0.25, 0.2)) {
  found <- extract_results(run_trials(setup_trial_binom(
    arms = c("A", "B", "C"), true_ys = c(0.25, 0.25, last), min_probs = rep(0.2, 3),
    data_looks = seq(300, 2000, by = 100), randomised_at_looks = c(seq(400, 2000, by = 100), 2000),
    superiority = 0.9814318, inferiority = 1 - 0.9814318, equivalence_prob = 0.9, equivalence_diff = 0.05
  ), n_rep = 4000, base_seed = 20203), raw_ests = TRUE)
  name <- if (last == 0.25) "adaptr.null" else "adaptr.effect"
  share(paste0(name, ".superiority"), found$final_status == "superiority", of("adaptr", folders[1]))
  share(paste0(name, ".equivalence"), found$final_status == "equivalence", of("adaptr", folders[1]))
  share(paste0(name, ".size"), found$final_n, of("adaptr", folders[1]))
  share(paste0(name, ".events"), found$sum_ys, of("adaptr", folders[1]))
}
