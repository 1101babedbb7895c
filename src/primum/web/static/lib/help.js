// An explanation behind a question mark, over the page beside it.
import { h, unique } from "./dom.js";

const GAP = 6; // pixels to the mark, and to the edges of the window

export function help(topic, ...text) {
  const words = h("p", { class: "help-text", id: unique("help"), popover: "auto" }, ...text);
  const mark = h("button", { type: "button", "aria-label": `Help: ${topic}`, popovertarget: words.id }, "?");
  words.addEventListener("toggle", ({ newState }) => newState === "open" && place(words, mark.getBoundingClientRect()));
  return h("span", { class: "help" }, mark, words);
}

/** Below the mark, or above it where there is more room, and inside the window. */
function place(words, mark) {
  const { offsetWidth: width, offsetHeight: height } = words;
  const left = Math.min(Math.max(GAP, mark.right - width), innerWidth - width - GAP);
  const fits = mark.bottom + GAP + height <= innerHeight;
  const top = fits ? mark.bottom + GAP : Math.max(GAP, mark.top - GAP - height);
  Object.assign(words.style, { left: `${Math.max(GAP, left)}px`, top: `${top}px` });
}
