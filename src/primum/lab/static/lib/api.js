// The server's public API, documented at /docs: a script can do everything that the page does.
import { ask, json } from "./requests.js";

// The server cancels a run only for a page that follows it alone: this token identifies our event streams.
const follower = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join("");
const run = (id) => `/api/runs/${encodeURIComponent(id)}`;

export const api = {
  catalogue: () => ask("/api/catalogue"),
  presets: () => ask("/api/presets"),
  preset: (name, options = {}) => ask(`/api/presets/${encodeURIComponent(name)}?${new URLSearchParams(options)}`),
  appraise: (draft) => ask("/api/appraisal", json("POST", draft)),
  cost: (question) => ask("/api/cost", json("POST", question)),
  armsFromCsv: (text, options) =>
    ask(`/api/arms-from-csv?${new URLSearchParams(options)}`, {
      method: "POST",
      headers: { "content-type": "text/csv" },
      body: text,
    }),
  start: (question) => ask("/api/runs", json("POST", question)),
  reopen: (id) => ask(run(id)),
  cancel: (id) => ask(`${run(id)}?follower=${follower}`, { method: "DELETE" }),
  events: (id) => new EventSource(`${run(id)}/events?follower=${follower}`),
  figure: (id, kind, options = {}, signal) => ask(`${run(id)}/figures/${kind}.json?${new URLSearchParams(options)}`, { signal }),
  summary: (id, signal) => ask(`${run(id)}/summary.json`, { signal }),
  replay: (id, options, signal) => ask(`${run(id)}/replay?${new URLSearchParams(options)}`, { signal }),
  characteristics: (design) => ask(`/api/trials/characteristics?${new URLSearchParams(design)}`),
  trialCatalogue: () => ask("/api/trials/catalogue"),
  frontier: (query, signal) => ask(`/api/trials/frontier?${query}`, { signal }),
  operate: (query, signal) => ask(`/api/trials/operating-characteristics?${query}`, { signal }),
  text: (id, file) => ask(`${run(id)}/${file}`),
  /** The address of a file to export: results.nc, experiment.toml, summary.csv, figures/regret.png ... */
  address: (id, file, options = {}) => {
    const query = new URLSearchParams(options).toString();
    return `${run(id)}/${file}${query && "?" + query}`;
  },
};
