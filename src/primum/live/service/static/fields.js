// Fields with their label, hint and line for errors.
import { date } from "./dates.js";
import { h, say, unique } from "./lib/dom.js";

/**
 * A labelled control: `name` is the place of its errors, `control` an input, select or textarea. `check(text)` says what is
 * wrong with a text before it is sent, or nothing.
 */
export function field(name, label, control, hint = "", check = () => "") {
  const [id, hintId, faultId] = [unique(name), unique("hint"), unique("fault")];
  const fault = h("p", { class: "fault", id: faultId });
  control.id = id;
  control.setAttribute("aria-describedby", hint ? `${hintId} ${faultId}` : faultId);
  const element = h("div", { class: "field" }, h("label", { for: id }, label), hint && h("p", { class: "hint", id: hintId }, hint), control, fault);
  return {
    name, control, element,
    get text() {
      return control.value.trim();
    },
    get problem() {
      return control.required && !control.value.trim() ? "Fill in this field." : check(control.value);
    },
    fail(sentence) {
      say(fault, sentence);
      mark(control, sentence);
    },
  };
}

/**
 * Boxes to tick, or one of several to choose: `options` are [value, text, hint], `chosen` the values from the start. Each box
 * must be ticked if `all`, else one at least; `empty` says so.
 */
export function choice(name, legend, options, { type = "checkbox", chosen = [], all = false, empty = "Choose one.", hint = "" } = {}) {
  const faultId = unique("fault");
  const fault = h("p", { class: "fault", id: faultId });
  const group = unique(name);
  const boxes = options.map(([value, , note]) =>
    h("input", { type, name: group, value, checked: chosen.includes(value), "aria-describedby": note ? `${unique("note")} ${faultId}` : faultId }));
  const note = (box) => box.getAttribute("aria-describedby").split(" ")[0];
  const element = h("fieldset", { class: "choice" }, h("legend", {}, legend), hint && h("p", { class: "hint" }, hint),
    boxes.map((box, i) => h("div", {}, h("label", {}, box, h("span", {}, options[i][1])), options[i][2] && h("p", { class: "hint", id: note(box) }, options[i][2]))), fault);
  const values = () => boxes.filter(({ checked }) => checked).map(({ value }) => value);
  return {
    name, element, boxes, values,
    control: boxes[0],
    get problem() {
      return (all ? boxes.every(({ checked }) => checked) : values().length > 0) ? "" : empty;
    },
    fail(sentence) {
      say(fault, sentence);
      for (const box of boxes) mark(box, sentence && !(all && box.checked));
    },
  };
}

function mark(control, isWrong) {
  if (isWrong) control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
}

const PLAIN = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };

export const line = (properties = {}) => h("input", { type: "text", ...PLAIN, ...properties });

/** The password of a person; `kind` tells a browser whether it is a new one. */
export const password = (kind = "current-password") => h("input", { type: "password", autocomplete: kind, required: true, spellcheck: "false" });

/** The code of a participant. */
export const participantField = (value = "") => field("participant", "Participant code", line({ required: true, value, enterkeyhint: "go" }));

/** A calendar day, at most `latest`; beside it in words, because browsers write it in different orders. */
export function dayField(name, label, { value = "", latest, hint = "" } = {}) {
  const control = h("input", { type: "date", class: "short", required: true, value, max: latest });
  const made = field(name, label, control, hint);
  const words = h("output", { for: control.id });
  const tell = () => say(words, control.value && date(control.value));
  control.addEventListener("input", tell);
  control.replaceWith(h("div", { class: "day" }, words));
  words.before(control);
  tell();
  return made;
}

/** A text that explains an entry in the journal. */
export const reason = (hint = "It is kept in the journal. No names, dates of birth or e-mail addresses.") =>
  field("reason", "Reason", h("textarea", { rows: 2, required: true, autocomplete: "off" }), hint);

/** A word to be typed before a button works; `guard(element)` guards the submit button of a form. */
export function typedWord(word) {
  const typed = field("word", `Type the word ${word} to confirm`, line({ class: "short", autocapitalize: "none" }));
  typed.guard = (element) => {
    const submit = element.querySelector("[type=submit]");
    const check = () => (submit.disabled = typed.text.toLowerCase() !== word);
    typed.control.addEventListener("input", check);
    check();
    return element;
  };
  return typed;
}
