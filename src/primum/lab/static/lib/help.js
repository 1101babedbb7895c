// An explanation behind a question mark.
import { h } from "./dom.js";

export const help = (topic, ...text) =>
  h("details", { class: "help" }, h("summary", { "aria-label": `Help: ${topic}` }, "?"), h("p", {}, ...text));
