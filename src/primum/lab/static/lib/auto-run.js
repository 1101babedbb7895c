// Runs a changed question by itself if that is quick.
import { run } from "./run.js";
import { question } from "./state.js";

const PAUSE_MILLISECONDS = 600; // after the last change
const QUICK_SECONDS = 1; // of processor time

let changed = 0;
let timer = 0;

/** Whether the changed question is about to run by itself; false until its cost is known. */
export const runsByItself = () => timer !== 0;

/** A run that a person started is not replaced, and one that a person cancelled is not started again. */
const isQuick = () =>
  !run.cancelled && Boolean(question.cost?.fits) && question.cost.seconds < QUICK_SECONDS && run.stale && (!run.busy || run.byItself);

function forget() {
  clearTimeout(timer);
  timer = 0;
}

question.addEventListener("change", () => {
  changed = performance.now();
  run.cancelled = false;
  forget();
});
question.addEventListener("cost", () => {
  forget();
  if (!isQuick()) return;
  timer = setTimeout(() => {
    timer = 0;
    if (isQuick()) run.start(true);
  }, changed + PAUSE_MILLISECONDS - performance.now());
});
