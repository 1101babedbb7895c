// Requests to the server, and its errors as sentences.

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

/** The body of a response: data or text; an `ApiError` if the server refuses. */
export async function ask(address, options = {}) {
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

/** Options of a request that sends data. */
export const json = (method, data) => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(data),
});
