// The public interface of the server: what the page does, a script can do; see /docs.

/** An answer that says what is wrong: `errors` has a sentence for each place, `message` all of them. */
export class Refusal extends Error {
  constructor(status, errors, retryAfter = 0) {
    super(Object.values(errors).join("\n"));
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter; // seconds, if the server said so
  }
}

async function ask(address, options = {}) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, { "": "The laboratory does not answer. Is it still running?" });
  }
  const isJson = (response.headers.get("content-type") || "").startsWith("application/json");
  const body = isJson ? await response.json() : await response.text();
  if (!response.ok) {
    const errors = body.errors || { "": `The laboratory answered ${response.status}.` };
    throw new Refusal(response.status, errors, Number(response.headers.get("retry-after")));
  }
  return body;
}

const json = (method, data) => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(data),
});
// The server cancels a run only for a page that follows it alone: this text says which event streams are ours.
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
  text: (id, file) => ask(`${run(id)}/${file}`),
  /** The address of something to take away: results.nc, experiment.toml, summary.csv, figures/regret.png ... */
  address: (id, file, options = {}) => {
    const query = new URLSearchParams(options).toString();
    return `${run(id)}/${file}${query && "?" + query}`;
  },
};
