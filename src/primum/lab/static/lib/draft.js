// The settings as they were edited, kept over a reload of the page.
import { catalogue } from "./catalogue.js";
import { run } from "./run.js";
import { question } from "./state.js";

const KEY = "draft";

/** The settings that were edited on top of this run, if the page was reloaded; an opened link has none. */
export function draftOf(id) {
  const [{ type }] = performance.getEntriesByType("navigation");
  try {
    const draft = JSON.parse(sessionStorage.getItem(KEY));
    return type !== "navigate" && draft?.run === id && draft.version === catalogue.version ? draft : null;
  } catch {
    return null; // storage may be blocked
  }
}

window.addEventListener("pagehide", () => {
  const { data, example } = question;
  try {
    sessionStorage.removeItem(KEY);
    if (data && run.id) sessionStorage.setItem(KEY, JSON.stringify({ run: run.id, version: catalogue.version, data, example }));
  } catch {
    // storage may be blocked, or the settings too large for it
  }
});
