// One of the three steps of a question: a fold with a one-line summary for when it is closed.
import { h, say } from "../lib/dom.js";
import { countFaults } from "../forms/errors.js";

/** An element with `tell(gist)`; the gist ends with the number of errors below the place. */
export function step(number, title, place, open, ...content) {
  const gist = h("span", { class: "gist" });
  const wrong = h("span", { class: "wrong" });
  const head = h("summary", {}, h("span", { class: "ordinal", "aria-hidden": "true" }, number), h("h2", {}, title), gist, wrong);
  const element = h("details", { class: "step", open }, head, h("div", { class: "body" }, ...content));
  element.tell = (text) => {
    say(gist, text);
    const count = countFaults(place);
    say(wrong, count === 0 ? "" : count === 1 ? "1 error" : `${count} errors`);
  };
  return element;
}
