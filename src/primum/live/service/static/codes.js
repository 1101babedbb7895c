// Codes that people read aloud or copy by hand: never broken at a hyphen.
import { h } from "./lib/dom.js";

const WHOLE = 24; // characters that fit on a line of a telephone

/** A code within a text; only a very long one may go on in the next line. */
export const code = (text) => h("strong", { class: text.length <= WHOLE ? "code whole" : "code" }, text);

/** A code in the largest type at which it fits on one line; a name of several words may take several lines. */
export function largeCode(text, kind = "") {
  const words = text.split(" ");
  const element = h("p", { class: `large-code ${kind}` }, h("span", {}, words.flatMap((word, i) => [i > 0 && " ", h("span", { class: "whole" }, word)])));
  element.style.setProperty("--letters", Math.max(...words.map(({ length }) => length)));
  return element;
}
