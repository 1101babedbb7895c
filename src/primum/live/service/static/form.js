// A form that is sent to the server: errors beside their fields, a question if the server has doubts, a retry if it is silent.
import { h, say, unique } from "./lib/dom.js";
import { ApiError, sentenceOf } from "./lib/requests.js";

const [SILENT, CONFLICT, UNAVAILABLE] = [0, 409, 503];

/**
 * `send(confirmed)` returns a promise; `done(response)` is called after it. `fields` are from fields.js, `others` buttons
 * beside the main one. `doubt` are the words of the two answers to a question: [change, confirm]; `change` is called after the
 * first, and otherwise the focus goes to the first field. `conflict(error)` may return [text, action] of a button that resolves
 * a refusal by the state of the trial. `unsure` says what to do when the server was silent.
 */
export function form({ fields = [], before = [], others = [], submit, send, done, doubt = ["Change it", "Save it as it is"], change, conflict, kind = "",
  unsure = "Sending it again is safe: it is saved only once." }) {
  const main = h("button", { type: "submit", class: "primary", onclick: once, onkeydown: once }, submit);
  const fault = h("p", { class: "fault", role: "alert" });
  const aside = h("div", { class: "aside" });
  const buttons = h("div", { class: "buttons" }, main, others);
  const element = h("form", { class: `sending ${kind}`, novalidate: true }, before, fields.map((each) => each.element), fault, buttons, aside);
  let busy = false;

  element.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(false);
  });

  element.addEventListener("input", () => aside.firstElementChild && clear()); // the question was about other text

  async function attempt(confirmed) {
    if (busy) return;
    const wrong = fields.filter(({ problem }) => problem);
    clear();
    for (const each of wrong) each.fail(each.problem);
    if (wrong.length) {
      focus(wrong[0]);
      return;
    }
    busy = true;
    main.setAttribute("aria-disabled", "true");
    element.ariaBusy = "true";
    let response;
    try {
      response = await send(confirmed);
    } catch (error) {
      show(error, confirmed);
      if (!(error instanceof ApiError)) throw error;
      return;
    } finally {
      busy = false;
      main.removeAttribute("aria-disabled");
      element.ariaBusy = "false";
    }
    done(response);
  }

  function clear() {
    fields.forEach((each) => each.fail(""));
    say(fault, "");
    aside.replaceChildren();
    buttons.hidden = false;
  }

  function show(error, confirmed) {
    if (error.status === SILENT) return offer(`The server does not respond. ${unsure}`, confirmed);
    if (error.status === UNAVAILABLE) return offer(error.message, confirmed);
    if (error.errors?.confirm) return question(error.errors.confirm);
    const solution = error.status === CONFLICT && conflict?.(error);
    if (solution) return resolve(error.message, solution);
    const places = new Map(Object.entries(error.errors || {}));
    const failing = fields.filter(({ name }) => places.has(name));
    for (const each of failing) {
      each.fail(places.get(each.name));
      places.delete(each.name);
    }
    say(fault, error.errors ? [...places.values()].join("\n") : sentenceOf(error));
    if (failing.length) focus(failing[0]);
    return undefined;
  }

  function resolve(sentence, [text, action]) {
    box(sentence, h("button", { type: "button", class: "primary", onclick: action }, text), h("button", { type: "button", onclick: clear }, "Back"));
  }

  function offer(sentence, confirmed) {
    box(sentence, h("button", { type: "button", class: "primary", onclick: () => attempt(confirmed) }, "Retry"));
  }

  function question(sentence) {
    const back = () => {
      clear();
      if (change) change();
      else if (fields.length) focus(fields[0]);
    };
    const [other, sure] = doubt;
    box(sentence,
      h("button", { type: "button", class: "primary", onclick: back }, other),
      h("button", { type: "button", onclick: () => attempt(true) }, sure)).addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      back();
    });
  }

  /** A box in place of the buttons, with the focus on its first button. */
  function box(sentence, ...choices) {
    const id = unique("box");
    const shown = h("div", { class: "box", role: "group", "aria-labelledby": id },
      h("p", { id }, sentence), h("div", { class: "buttons" }, choices));
    buttons.hidden = true;
    aside.replaceChildren(shown);
    choices[0].setAttribute("aria-describedby", id);
    choices[0].focus();
    return shown;
  }

  return element;
}

/** Puts the focus on the field, or on the first of its boxes that is wrong. */
const focus = ({ control, boxes }) => (boxes?.find((box) => box.ariaInvalid) ?? control).focus();

/** The second of a double click, and a key that is held down, were meant for what was here before. */
function once(event) {
  if (event.detail > 1 || event.repeat) event.preventDefault();
}
