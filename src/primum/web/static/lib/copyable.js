// A text to take away by the clipboard.
import { h, say } from "./dom.js";

/** A button that copies the text of an element; `says` is told what has happened. */
export function copyButton(element, says, properties = {}) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(element.textContent);
      says("Copied.");
    } catch {
      getSelection().selectAllChildren(element); // the clipboard is blocked
      says("Text selected; copy it with the keyboard.");
    }
  };
  return h("button", { type: "button", onclick: copy, ...properties }, "Copy");
}

/** A text with a button that copies it; an element with `show(text)`. */
export function copyable(title, explanation) {
  const text = h("pre", { tabindex: 0, role: "group", "aria-label": title });
  const feedback = h("span", { class: "feedback", "aria-live": "polite" });
  const button = copyButton(text, (sentence) => say(feedback, sentence), { "aria-label": `Copy: ${title}` });
  const element = h("section", { class: "copyable" }, h("h3", {}, title), h("p", {}, explanation), text, h("p", {}, button, " ", feedback));
  element.show = (given) => {
    if (text.textContent !== given) say(feedback, "");
    say(text, given);
  };
  return element;
}
