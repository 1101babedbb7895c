// Eight trials of BESA+, and the outcomes that every patient would have had: a policy that takes turns shows them all.
import { api } from "../lib/api.js";
import { finished } from "./runs.js";

export const [PATIENTS, TRIALS] = [50, 8];
export const [STANDARD, NEW] = [0, 1]; // arms; the new treatment is better on average
const QUESTION = {
  arms: [{ name: "standard", distribution: "constant(value=0.4)" }, { name: "new", distribution: "uniform(low=0, high=1)" }],
  value: "mean", policies: ["besa-plus", "round-robin"], horizon: 2 * PATIENTS, replications: TRIALS, seed: 1,
};

/** Steps of BESA+ in a trial. */
export async function decisions(replication) {
  const id = await finished(QUESTION);
  return (await api.replay(id, { policy: 0, replication, first: 1, count: PATIENTS })).steps;
}

/** For each treatment, the outcomes of the first, second ... patient who gets it in a trial. */
export async function outcomes(replication) {
  const id = await finished(QUESTION);
  const { steps } = await api.replay(id, { policy: 1, replication, first: 1, count: 2 * PATIENTS });
  return [STANDARD, NEW].map((arm) => steps.filter((step) => step.arm === arm).map(({ reward }) => reward));
}
