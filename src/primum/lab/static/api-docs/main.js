// The documentation of the laboratory's API.
import { marked, showApi } from "./reference.js";
import { h } from "../lib/dom.js";

const ASKED = {
  arms: [{ name: "standard", distribution: "constant(value=0.4)" }, { name: "new", distribution: "uniform(low=0, high=1)" }],
  value: "mean-variance(rho=1)", policies: ["besa-plus", "besa"], horizon: 2000, replications: 300, seed: 1,
};

/** One experiment, from the request to its figures. */
function worked() {
  const runs = `${location.origin}/api/runs`;
  const part = (text, ...lines) => h("li", {}, h("p", {}, marked(text)), h("pre", { tabindex: 0 }, lines.join("\n")));
  return [
    h("h2", {}, "Example"),
    h("ol", { class: "worked" },
      part("Start a run: arms, a value and policies. The response has the `id` of the run.",
        `curl '${runs}' \\`, "  -H 'content-type: application/json' \\", `  -d '${JSON.stringify(ASKED)}'`),
      part("Follow its progress, with its `id` in place of ID. The stream ends with the run.", `curl -N '${runs}/ID/events'`),
      part("Download the table, a figure, all pulls, and the experiment file for `primum simulate`.",
        `curl '${runs}/ID/summary.csv'`, ...["figures/regret.svg", "results.nc", "experiment.toml"].map(
          (file) => `curl -O '${runs}/ID/${file}'`)),
    ),
  ];
}

showApi(document.querySelector("#document"), { introduction: worked(), examples: { Question: ASKED, Draft: ASKED } });
