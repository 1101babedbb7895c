// Enrol: a participant's code, eligibility and consent; then whether they are right; then the kit or the arm in large type.
import { api } from "../api.js";
import { largeCode } from "../codes.js";
import { date, dayOf, fullMoment } from "../dates.js";
import { announce, closing, dialog, finish } from "../dialog.js";
import { choice, dayField, field, line, participantField } from "../fields.js";
import { form } from "../form.js";
import { h } from "../lib/dom.js";
import { counted } from "../lib/formatting.js";
import { View } from "../view.js";
import { voidEnrolment, withdraw } from "./participant-dialogs.js";

const OPEN = "open";
const LOCKED = "locked"; // nothing about participants can change
const EMPTY = { participant: "", eligibility: [], consent: "" };

export class Enrol extends View {
  static title = "Enrol";
  static roles = ["enrol"];
  #body = h("div", { class: "body" });
  #first = this.heading;

  build() {
    this.append(this.#body);
    this.#ask(this.draft ?? EMPTY);
  }

  update() {
    if (!this.querySelector(".answer")) this.#ask(this.draft ?? EMPTY); // an answer stays until it was read
  }

  begin() {
    this.#first.focus({ preventScroll: true });
  }

  /** What has been typed so far, kept by the page in case the session ends. */
  #keep(given) {
    this.draft = given;
    this.dispatchEvent(new CustomEvent("draft", { detail: given, bubbles: true }));
  }

  #ask(given) {
    if (this.me.state !== OPEN) {
      this.#first = this.heading;
      this.#body.replaceChildren(h("p", {}, "Nobody can be enrolled now."), this.#others());
      return;
    }
    const participant = field("participant", "Participant code", line({ required: true, value: given.participant, enterkeyhint: "next" }));
    const { eligibility: criteria = [], consent: asksConsent } = this.me;
    const eligibility = criteria.length > 0 && choice("eligibility", "Eligibility: tick what you have checked", criteria.map((text) => [text, text]),
      { chosen: given.eligibility, all: true, empty: "A participant must meet every criterion. If one is not met, do not enrol." });
    const consent = asksConsent && dayField("consent", "Date of the written consent", { value: given.consent, latest: dayOf(Date.now()) });
    const typed = () => ({ participant: participant.text, eligibility: eligibility ? eligibility.values() : [], consent: consent ? consent.text : "" });
    const element = form({
      fields: [participant, eligibility, consent].filter(Boolean), submit: "Continue", kind: "large",
      send: async () => typed(), done: (complete) => this.#check(complete),
    });
    element.addEventListener("input", () => this.#keep(typed()));
    this.#body.replaceChildren(element, this.#others());
    this.#first = participant.control;
  }

  /** The second step: whether it is the right participant. */
  #check(given) {
    const { participant, eligibility, consent } = given;
    const back = () => {
      this.#ask(given);
      this.begin();
    };
    const element = form({
      before: [h("div", { class: "answer question" },
        h("p", { class: "kind" }, "Enrol this participant?"), largeCode(participant),
        eligibility.length > 0 && h("p", {}, `Eligible: ${counted(eligibility.length, "criterion", "criteria")} checked`),
        consent && h("p", {}, `Consent: ${date(consent)}`)),
      h("p", {}, "An enrolment cannot be undone. An enrolment in error can only be declared void; the participant stays in the record.")],
      submit: "Enrol", kind: "large", others: [h("button", { type: "button", onclick: back }, "Back")],
      doubt: ["Change the code", "It is a code: enrol"], change: back,
      unsure: "Asking again is safe: the same participant always gets the same answer, and is enrolled only once.",
      send: (confirm) => api.enrol({ participant, ...(this.me.eligibility?.length ? { eligibility } : {}), ...(this.me.consent ? { consent } : {}), confirm }),
      done: (enrolled) => {
        this.#keep(null);
        this.#answer(enrolled);
      },
    });
    element.addEventListener("keydown", ({ key }) => key === "Escape" && back());
    this.#body.replaceChildren(element);
    element.querySelector("[type=submit]").focus();
  }

  /** The confirmation, which can be printed. */
  #answer(enrolled) {
    const { participant, number, at, by, kit, arm, eligibility = [], consent } = enrolled;
    const row = (name, ...content) => h("div", {}, h("dt", {}, name), h("dd", {}, content));
    const next = h("button", { type: "button", class: "primary", onclick: () => this.#next() }, "Next participant");
    const shown = h("div", { class: "sending large" },
      h("article", { class: "answer confirmation", tabindex: "-1", "aria-label": "Confirmation of enrolment" },
        h("h3", {}, "Confirmation of enrolment"), h("p", { class: "trial-title" }, this.me.title),
        h("p", { class: "kind" }, kit ? "Kit" : "Arm"), largeCode(kit ?? arm, "allocated"),
        h("p", { class: "kind" }, "Participant"), largeCode(participant, "whose"),
        h("dl", { class: "facts" },
          row("Number", number),
          row("Enrolled", fullMoment(at)),
          row("By", by ?? this.me.name),
          eligibility.length > 0 && row("Eligibility", h("ul", {}, eligibility.map((text) => h("li", {}, text)))),
          consent && row("Consent", date(consent)))),
      h("div", { class: "buttons" }, next,
        h("button", { type: "button", onclick: () => window.print() }, "Print"),
        this.me.state !== LOCKED && h("button", { type: "button", onclick: () => voidEnrolment(enrolled, this.me, (sentence) => this.#done(sentence)) }, "Enrolled in error")));
    shown.addEventListener("keydown", ({ key, target }) => key === "Escape" && !target.closest("dialog") && this.#next());
    this.#body.replaceChildren(shown);
    shown.firstElementChild.focus();
  }

  /** What else this role does: it has no list of participants. */
  #others() {
    const button = (text, action) => h("button", { type: "button", onclick: action }, text);
    const act = (text, action) => button(text, () => action(null, this.me, (sentence) => this.#done(sentence)));
    return h("section", { class: "others" }, h("h3", {}, "A participant who is enrolled"),
      h("div", { class: "buttons" }, button("Show the confirmation again", () => this.#lookUp()),
        this.me.state !== LOCKED && [act("Withdraw", withdraw), act("Enrolled in error", voidEnrolment)]));
  }

  #lookUp() {
    const participant = participantField();
    const box = dialog("Show a confirmation again", form({
      before: [h("p", {}, "Nobody is enrolled by this.")], fields: [participant], submit: "Show", others: [closing()],
      unsure: "Try again.", send: () => api.allocation(participant.text),
      done: (enrolled) => finish(box, () => this.#answer(enrolled)),
    }));
  }

  #done(sentence) {
    this.#ask(this.draft ?? EMPTY);
    this.heading.focus({ preventScroll: true });
    announce(sentence);
  }

  #next() {
    this.#ask(this.draft ?? EMPTY);
    this.begin();
    this.dispatchEvent(new Event("changed", { bubbles: true })); // this may have been the last
  }
}

customElements.define("trial-enrol", Enrol);
