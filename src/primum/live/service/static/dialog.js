// A dialog over the view; it is removed when it closes, with all that it showed.
import { h, say, unique } from "./lib/dom.js";

/** Opens a dialog with a title; `closed` is called after it has closed. Returns it. */
export function dialog(title, content, closed = () => {}) {
  const id = unique("dialog");
  const heading = h("h2", { id, tabindex: "-1" }, title);
  const box = h("dialog", { "aria-labelledby": id }, heading, content);
  announce("");
  box.addEventListener("close", () => {
    box.remove();
    closed();
  });
  document.querySelector("main").append(box);
  box.showModal();
  (box.querySelector("input, select, textarea") ?? heading).focus();
  return box;
}

/** A button that closes the dialog in which it is. */
export const closing = (text = "Cancel", kind = "") =>
  h("button", { type: "button", class: kind, onclick: ({ target }) => target.closest("dialog").close() }, text);

/** Closes a dialog and says what was done; it says "close" later than this returns, and the focus goes on afterwards. */
export function finish(box, done, sentence) {
  box.addEventListener("close", () => done(sentence));
  box.close();
}

/** Says at the foot of the page what has happened, until something else does. */
export const announce = (sentence) => say(document.querySelector("#said"), sentence);
