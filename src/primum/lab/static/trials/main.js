// The page: shows the trial in its address, or the opening one.
import "./export.js";
import "./settings.js";
import "./results.js";
import { readErrors, refresh } from "../forms/errors.js";
import { api } from "../lib/api.js";
import { catalogue, load } from "../lib/catalogue.js";
import { say } from "../lib/dom.js";
import { ApiError } from "../lib/requests.js";
import { trial } from "./state.js";

const PAUSE = 200; // milliseconds from a change to the address: browsers refuse to change it as often as a slider moves
const notice = document.querySelector("#notice");
const [settings, results, exports] = ["settings", "results", "export"].map((name) => document.querySelector(`trial-${name}`));

readErrors(() => trial.errors);
trial.addEventListener("errors", refresh);
let pause = 0;
trial.addEventListener("change", () => {
  clearTimeout(pause);
  pause = setTimeout(() => history.replaceState(null, "", trial.query ? `?${trial.query}` : location.pathname), PAUSE);
});
results.addEventListener("found", ({ detail }) => exports.show(detail));

try {
  const [parts] = await Promise.all([api.trialCatalogue(), load()]);
  catalogue.policies = catalogue.policies.filter(({ name }) => parts.policies.includes(name));
  settings.build(parts);
  say(notice, trial.open(location.search));
  settings.parentElement.inert = false;
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  say(notice, error.message);
}
