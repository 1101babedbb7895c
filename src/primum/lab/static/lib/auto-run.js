// Runs a changed question by itself if that is quick.
import { run } from "./run.js";
import { question } from "./state.js";

const PAUSE_MILLISECONDS = 600; // after the last change
const QUICK_SECONDS = 1; // of processor time

/** Whether the changed question will run by itself; false until its cost is known. */
export const runsByItself = () =>
  Boolean(question.cost?.fits) && question.cost.seconds < QUICK_SECONDS && run.stale && (!run.busy || run.byItself);

let changed = 0;
let timer = 0;

question.addEventListener("change", () => {
  changed = performance.now();
  clearTimeout(timer);
});
question.addEventListener("cost", () => {
  clearTimeout(timer);
  timer = setTimeout(() => runsByItself() && run.start(true), changed + PAUSE_MILLISECONDS - performance.now());
});
