// An explanation where a word stands: a question mark that opens a line.
import { h } from "./dom.js";

export const help = (word, ...text) =>
  h("details", { class: "help" }, h("summary", { "aria-label": `What does ${word} mean?` }, "?"), h("p", {}, ...text));
