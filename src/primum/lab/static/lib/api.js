// The server's public API, documented at /docs: a script can do everything that the page does.

/** An error response: `errors` has a sentence for each place, `message` all of them. */
export class ApiError extends Error {
  constructor(status, errors, retryAfter = 0) {
    super(Object.values(errors).join("\n"));
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter; // seconds, if the server said so
  }
}

/** The sentence to show for an error; one that the server did not send is a defect of the page. */
export const sentenceOf = (error) =>
  error instanceof ApiError ? error.message : "Internal error in this page; details are in the browser console.";

async function ask(address, options = {}) {
  const { response, body } = await received(address, options);
  if (response.ok) return body;
  const errors = body.errors || { "": `The server responded with status ${response.status}.` };
  throw new ApiError(response.status, errors, Number(response.headers.get("retry-after")));
}

/** Responses by request, in a page that has no server: the article in the documents. */
const recording = globalThis.primumRecording;

/** The response with its body, which may break off as well. */
async function received(address, options) {
  if (recording) return recorded(`${address} ${options.body || ""}`.trim());
  try {
    const response = await fetch(address, options);
    const isJson = (response.headers.get("content-type") || "").startsWith("application/json");
    return { response, body: isJson ? await response.json() : await response.text() };
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { "": "The server does not respond. Is it still running?" });
  }
}

function recorded(request) {
  if (!(request in recording)) throw new ApiError(0, { "": "This page has no recording for these settings; the laboratory computes them." });
  return { response: { ok: true }, body: recording[request] };
}

const json = (method, data) => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(data),
});
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
  text: (id, file) => ask(`${run(id)}/${file}`),
  /** The address of a file to export: results.nc, experiment.toml, summary.csv, figures/regret.png ... */
  address: (id, file, options = {}) => {
    const query = new URLSearchParams(options).toString();
    return `${run(id)}/${file}${query && "?" + query}`;
  },
};
