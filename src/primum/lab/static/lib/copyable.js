// A text to take away by the clipboard.
import { h, say } from "./dom.js";

/** A text with a button that copies it; an element with `show(text)`. */
export function copyable(title, explanation) {
  const text = h("pre", { tabindex: 0, role: "group", "aria-label": title });
  const feedback = h("span", { class: "feedback", "aria-live": "polite" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      say(feedback, "Copied.");
    } catch {
      getSelection().selectAllChildren(text); // the clipboard is blocked
      say(feedback, "Text selected; copy it with the keyboard.");
    }
  };
  const button = h("button", { type: "button", "aria-label": `Copy: ${title}`, onclick: copy }, "Copy");
  const element = h("section", { class: "copyable" }, h("h3", {}, title), h("p", {}, explanation), text, h("p", {}, button, " ", feedback));
  element.show = (given) => {
    if (text.textContent !== given) say(feedback, "");
    say(text, given);
  };
  return element;
}
