// Runs for the article: one for each question, whichever widgets ask for it.
import { api } from "../lib/api.js";
import { ApiError } from "../lib/requests.js";

const runs = new Map();

/** The id of a question's run, once it has finished. */
export function finished(question) {
  const key = JSON.stringify(question);
  if (!runs.has(key)) runs.set(key, started(question));
  const run = runs.get(key);
  run.catch(() => runs.delete(key)); // the next request tries again
  return run;
}

async function started(question) {
  const { id, state } = await api.start(question);
  if (state !== "finished") await ended(id);
  return id;
}

const ended = (id) =>
  new Promise((resolve, reject) => {
    const stream = api.events(id);
    const close = (settle, outcome) => {
      stream.close();
      settle(outcome);
    };
    stream.onmessage = ({ data }) => {
      const { state, sentence } = JSON.parse(data);
      if (state === "finished") close(resolve);
      else if (!["waiting", "running"].includes(state)) close(reject, new ApiError(0, { "": `This run did not finish: ${sentence}.` }));
    };
    stream.onerror = () => { // a stream that is not closed connects again
      if (stream.readyState === EventSource.CLOSED) close(reject, new ApiError(0, { "": "Connection to this run lost. Move a control to try again." }));
    };
  });
