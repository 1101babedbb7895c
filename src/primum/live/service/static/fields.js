// Fields with their label, hint and line for errors.
import { h, say, unique } from "./lib/dom.js";

/** A labelled control: `name` is the place of its errors, `control` an input, select or textarea. */
export function field(name, label, control, hint = "") {
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
    fail(sentence) {
      say(fault, sentence);
      if (sentence) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    },
  };
}

const PLAIN = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };

export const line = (properties = {}) => h("input", { type: "text", ...PLAIN, ...properties });

/** A text that explains an entry in the journal. */
export const reason = (hint = "It is kept in the journal. No names, dates of birth or e-mail addresses.") =>
  field("reason", "Reason", h("textarea", { rows: 2, required: true, autocomplete: "off" }), hint);
