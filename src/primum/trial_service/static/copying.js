// A button that copies a text; where the browser forbids it, it says so.
import { announce } from "./dialog.js";
import { h } from "./lib/dom.js";

/** `text()` is copied; `says` is told afterwards what has happened. */
export const copyButton = (text, says = announce) =>
  h("button", { type: "button", onclick: () => copy(text(), says) }, "Copy");

async function copy(text, says) {
  try {
    await navigator.clipboard.writeText(text);
    says("Copied.");
  } catch {
    says("The browser does not allow copying here. Select the text and copy it.");
  }
}
