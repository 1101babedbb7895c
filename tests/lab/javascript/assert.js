// What tests say of the modules, and a server that responds as they want.

const written = (given) => JSON.stringify(given, (_, part) => (Object.is(part, -0) ? "-0" : Number.isNaN(part) ? "NaN" : part));

export function equal(got, expected) {
  if (written(got) !== written(expected)) throw new Error(`got ${written(got)}, expected ${written(expected)}`);
}

export function near(got, expected, tolerance = 1e-9) {
  if (!(Math.abs(got - expected) <= tolerance)) throw new Error(`got ${got}, expected ${expected} within ${tolerance}`);
}

/** Waits until something is true; it must become so within a second. */
export async function until(condition) {
  for (let i = 0; i < 200; i++) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`never true: ${condition}`);
}

/** The messages of exceptions that nobody caught, from now on; they do not fail the test. */
export function uncaught() {
  const messages = [];
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    messages.push(event.reason.message);
  });
  return messages;
}

/**
 * Replaces the server: `requests` has the requests in order, as { path, data, respond, reject }; `respond(data, status)`
 * sends JSON.
 */
export function server() {
  const requests = [];
  globalThis.fetch = (address, { body, signal } = {}) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      const respond = (data, status = 200, headers = {}) =>
        resolve(new Response(JSON.stringify(data), { status, headers: { "content-type": "application/json", ...headers } }));
      requests.push({ path: address, data: body && JSON.parse(body), respond, resolve, reject });
    });
  return requests;
}
