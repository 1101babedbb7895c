// The page: shows the run in its address, or the opening example.
import "./question/faults.js"; // before all that shows errors
import "./question/arms.js";
import "./question/policies.js";
import "./question/presets.js";
import "./question/value.js";
import "./answer/answer.js";
import "./question/run-bar.js";
import { api } from "./lib/api.js";
import { ApiError } from "./lib/requests.js";
import "./lib/auto-run.js";
import { load } from "./lib/catalogue.js";
import { say } from "./lib/dom.js";
import { draftOf } from "./lib/draft.js";
import { run } from "./lib/run.js";
import { question } from "./lib/state.js";

const OPENING = "constant-against-uniform";
const notice = document.querySelector("#notice");
const catalogued = load(); // needed to show a question
let firstLook = true; // at the address since the page was loaded
const presets = api.presets();

const asked = () => new URLSearchParams(location.search).get("run");

async function open() {
  const [opening, examples] = await Promise.all([api.preset(OPENING), presets, catalogued]);
  question.replace(opening, examples.find(({ name }) => name === OPENING));
  await run.start();
}

/** Shows the run in the address; for an unknown one, a notice and the opening example. */
async function readAddress() {
  const id = asked();
  const reloaded = firstLook;
  firstLook = false;
  if (!id) return open();
  const [reopened, examples] = await Promise.all([api.reopen(id).catch(unknown), presets, catalogued]);
  if (asked() !== id) return undefined; // the reader has navigated on
  if (reopened) {
    question.replace(reopened.question, examples.find(({ title }) => title === reopened.question.title));
    run.reopen(id, reopened);
    const draft = reloaded && draftOf(id);
    if (draft) question.replace(draft.data, draft.example);
    return undefined;
  }
  await open();
  say(notice, `This server has no run ‘${id.slice(0, 40)}’. Showing the opening example instead.`);
  return undefined;
}

/** Null if the server does not know the id or it is malformed; any other error is thrown on. */
function unknown(error) {
  if (error.status === 404 || error.status === 422) return null;
  throw error;
}

/** Shows an error of the server as a notice; any other is a defect of the page. */
async function orSay(what) {
  try {
    await what();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(notice, error.message);
  }
}

question.addEventListener("change", () => say(notice, ""));
question.addEventListener("change", () => (document.querySelector(".question").inert = false), { once: true });
for (const name of ["change", "appraisal"]) {
  question.addEventListener(name, () => // a preview of other settings is not shown for these
    document.querySelector(".question").classList.toggle("waiting", !question.appraisal));
}
await orSay(async () => {
  window.addEventListener("popstate", () => orSay(readAddress));
  const [examples] = await Promise.all([presets, readAddress()]);
  document.querySelector("primum-presets").show(examples);
});
