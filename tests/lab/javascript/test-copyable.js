import { copyable } from "/static/lib/copyable.js";
import { equal, until } from "./assert.js";

/** Presses the button of a text, with a clipboard that does this; returns what is said. */
async function copied(writeText) {
  Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  const element = copyable("Link", "Opens this.");
  document.body.replaceChildren(element);
  element.show("http://laboratory.test");
  element.querySelector("button").click();
  const feedback = element.querySelector(".feedback");
  await until(() => feedback.textContent);
  return feedback.textContent;
}

export async function theTextIsCopied() {
  const taken = [];
  equal(await copied(async (text) => taken.push(text)), "Copied.");
  equal(taken, ["http://laboratory.test"]);
}

export async function aTextThatCannotBeCopiedIsSelected() {
  equal(await copied(() => Promise.reject(new Error("blocked"))), "Text selected; copy it with the keyboard.");
  equal(getSelection().toString(), "http://laboratory.test");
}
