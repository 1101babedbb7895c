// The documentation of the API of a live trial.
import { marked, showApi } from "./reference.js";
import { h } from "../lib/dom.js";

/** One participant, from enrolment to the outcome. */
function worked() {
  const api = `${location.origin}/api`;
  const part = (text, ...lines) => h("li", {}, h("p", {}, marked(text)), h("pre", { tabindex: 0 }, lines.join("\n")));
  const sent = (path, data) => [`curl '${api}/${path}' -H @token.txt \\`, "  -H 'content-type: application/json' \\", `  -d '${JSON.stringify(data)}'`];
  return [
    h("h2", {}, "Example"),
    h("ol", { class: "worked" },
      part("Make a token under your name on the page of the trial. Keep it out of commands: write `Authorization: Bearer TOKEN` into a file that only you can read.", "chmod 600 token.txt"),
      part("Enrol a participant. Asking again is safe: the response is the same.", ...sent("participants", { participant: "P-001" })),
      part("Record the outcome, with its date.", ...sent("outcomes", { participant: "P-001", outcome: 1, on: "2026-11-18" })),
      part("Correct it, if it was wrong: say what it replaces, so that a late repeat undoes nothing.", ...sent("corrections", { participant: "P-001", outcome: 0, replaces: 1, reason: "read from the wrong form" })),
    ),
  ];
}

showApi(document.querySelector("#document"), { introduction: worked() });
