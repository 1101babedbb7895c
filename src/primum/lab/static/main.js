// The page: what its address asks for, else the opening example.
import "./arms.js";
import "./policies.js";
import "./presets.js";
import "./value.js";
import "./answer.js";
import "./run-bar.js";
import { api, Refusal } from "./api.js";
import { load } from "./catalogue.js";
import { say } from "./dom.js";
import { run } from "./run.js";
import { question } from "./state.js";

const OPENING = "constant-against-uniform";
const notice = document.querySelector("#notice");

const asked = () => new URLSearchParams(location.search).get("run");

/** What a refusal says is shown in a line; anything else is a fault of the page. */
async function orSay(what) {
  try {
    return await what();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(notice, error.message);
    return null;
  }
}

async function open() {
  question.replace(await api.preset(OPENING));
  await run.start();
}

/** Shows the run that the address names; one that nobody knows gives a line and the opening example. */
async function readAddress() {
  const id = asked();
  say(notice, "");
  if (!id) return open();
  const reopened = await orSay(() => api.reopen(id));
  if (asked() !== id) return undefined; // the reader went on while the server was asked
  if (reopened) {
    question.replace(reopened.question);
    return run.reopen(id, reopened);
  }
  say(notice, `${notice.textContent} The opening example is shown instead.`);
  return open();
}

await orSay(async () => {
  const [presets] = await Promise.all([api.presets(), load()]);
  document.querySelector("primum-presets").show(presets);
  await readAddress();
  window.addEventListener("popstate", () => orSay(readAddress));
});
