// The documentation of the API of a live trial.
import { marked, showApi } from "./reference.js";
import { h } from "../lib/dom.js";

/** An enrolment and its outcome. */
function worked() {
  const part = (text, ...lines) => h("li", {}, h("p", {}, marked(text)), h("pre", { tabindex: 0 }, lines.join("\n")));
  const post = (address, data) => [
    `curl '${location.origin}/api/${address}' \\`, "  -H \"Authorization: Bearer $TOKEN\" \\", "  -H 'content-type: application/json' \\",
    `  -d '${JSON.stringify(data)}'`,
  ];
  return [
    h("h2", {}, "Example"),
    h("ol", { class: "worked" },
      part("Read the token into a variable, so that it is in no file and no list of commands.", "read -rs TOKEN"),
      part("Enrol a participant. The response has the `kit`, or the `arm` if the trial is not blinded.", ...post("participants", { participant: "P-0042" })),
      part("Record the outcome when it is known.", ...post("outcomes", { participant: "P-0042", outcome: 1 })),
    ),
  ];
}

showApi(document.querySelector("#document"), { introduction: worked() });
