# Processor seconds for each trial of adaptr's README with calibrated limits, on one core: Rscript adaptr.R TRIALS
suppressMessages(library(adaptr))
trials <- as.integer(commandArgs(trailingOnly = TRUE)[1])
limit <- 0.9814318
spec <- setup_trial_binom(
  arms = c("A", "B", "C"), true_ys = c(0.25, 0.25, 0.25), min_probs = rep(0.2, 3),
  data_looks = seq(300, 2000, 100), randomised_at_looks = c(seq(400, 2000, 100), 2000),
  inferiority = 1 - limit, superiority = limit, equivalence_prob = 0.9, equivalence_diff = 0.05
)
invisible(run_trials(spec, n_rep = 2, cores = 1, base_seed = 1))
used <- system.time(found <- run_trials(spec, n_rep = trials, cores = 1, base_seed = 2))
sizes <- sapply(found$trial_results, function(trial) trial$final_n)
cat((used[["user.self"]] + used[["sys.self"]]) / trials, mean(sizes), as.character(packageVersion("adaptr")), "\n")
