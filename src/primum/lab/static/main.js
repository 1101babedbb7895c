// The page: what its address asks for, else the opening example.
import "./question/arms.js";
import "./question/policies.js";
import "./question/presets.js";
import "./question/value.js";
import "./answer/answer.js";
import "./question/run-bar.js";
import { api, ApiError } from "./lib/api.js";
import { load } from "./lib/catalogue.js";
import { say } from "./lib/dom.js";
import { run } from "./lib/run.js";
import { question } from "./lib/state.js";

const OPENING = "constant-against-uniform";
const notice = document.querySelector("#notice");
const catalogued = load(); // what a question is shown with
const presets = api.presets();

const asked = () => new URLSearchParams(location.search).get("run");

async function open() {
  const [opening, examples] = await Promise.all([api.preset(OPENING), presets, catalogued]);
  question.replace(opening, examples.find(({ name }) => name === OPENING));
  await run.start();
}

/** Shows the run that the address names; one that nobody knows gives a line and the opening example. */
async function readAddress() {
  const id = asked();
  if (!id) return open();
  const [reopened, examples] = await Promise.all([api.reopen(id).catch(unknown), presets, catalogued]);
  if (asked() !== id) return undefined; // the reader went on while the server was asked
  if (reopened) {
    question.replace(reopened.question, examples.find(({ title }) => title === reopened.question.title));
    return run.reopen(id, reopened);
  }
  await open();
  say(notice, `No run ‘${id.slice(0, 40)}’ is known here. The opening example is shown instead.`);
  return undefined;
}

/** Nothing, if the server does not know the id or it cannot be one; any other refusal goes on. */
function unknown(error) {
  if (error.status === 404 || error.status === 422) return null;
  throw error;
}

/** What a refusal says is shown in a line; anything else is a fault of the page. */
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
  question.addEventListener(name, () => // what was said of another question is not shown for this one
    document.querySelector(".question").classList.toggle("waiting", !question.appraisal));
}
await orSay(async () => {
  window.addEventListener("popstate", () => orSay(readAddress));
  const [examples] = await Promise.all([presets, readAddress()]);
  document.querySelector("primum-presets").show(examples);
});
