// Outcomes: who is overdue, due or waiting, and outcomes to record, correct or withdraw.
import { api } from "../api.js";
import { code } from "../codes.js";
import { date, dueInWords } from "../dates.js";
import { announce } from "../dialog.js";
import { line, field } from "../fields.js";
import { h, say } from "../lib/dom.js";
import { Latest } from "../lib/latest.js";
import { View } from "../view.js";
import { correct, record, scopeWords, withdraw, written } from "./participant-dialogs.js";

const LISTS = { overdue: "Overdue", due: "Due", waiting: "Waiting", known: "Known", withdrawn: "Withdrawn", void: "Void" };
const FOLDED = ["withdrawn", "void"]; // and hidden while they are empty
const OPEN = ["overdue", "due", "waiting"]; // from the start
const MOST = 50; // rows of a list before more are asked for

export class Outcomes extends View {
  static title = "Outcomes";
  static roles = ["record"];
  #participants = [];
  #latest = new Latest(
    async (signal) => {
      this.#participants = await api.participants(signal);
      this.#show();
    },
    (sentence) => say(this.fault, sentence),
  );
  #search = field("search", "Find a participant", line({ type: "search", enterkeyhint: "search" }), "Any part of the code");
  #none = h("p", { class: "hint", role: "status" });
  #lists = Object.entries(LISTS).map(([state, title]) => new List(state, title, (participant) => this.#row(participant)));
  #onFocus = () => document.querySelector("dialog[open]") || this.#latest.again();

  build() {
    this.#search.control.addEventListener("input", () => this.#show());
    const download = h("p", {}, h("a", { href: "/api/participants.csv", download: true }, "Download participants.csv"));
    this.append(this.#search.element, this.fault, this.#none, ...this.#lists.map(({ element }) => element), download);
    this.#latest.anew();
    window.addEventListener("focus", this.#onFocus);
  }

  update() {
    this.#show();
  }

  disconnectedCallback() {
    this.#latest.stop();
    window.removeEventListener("focus", this.#onFocus);
  }

  #show() {
    const wanted = this.#search.text.toLowerCase();
    const found = this.#participants.filter(({ participant }) => participant.toLowerCase().includes(wanted));
    for (const list of this.#lists) list.show(found.filter(({ state }) => state === list.state), wanted !== "");
    const nobody = this.#participants.length ? `No participant has ‘${this.#search.text}’ in the code.` : "Nobody is enrolled yet.";
    say(this.#none, found.length ? "" : nobody);
  }

  #row(participant) {
    const { state, outcome, outcome_on: on, enrolled, due, number, corrections, withdrawn, withdrawn_at: left, voided_at: voided, reason } = participant;
    const open = OPEN.includes(state);
    const button = (text, action, kind = "") =>
      h("button", { type: "button", class: kind, "aria-label": `${text}: ${participant.participant}`, onclick: () => action(participant, this.me, (sentence) => this.#done(sentence)) }, text);
    return h("li", {},
      h("div", {}, code(participant.participant), ` number ${number}`,
        h("p", { class: "hint" }, `Enrolled ${date(enrolled)}`, due && open && `, due ${date(due)}`,
          state === "known" && on && `, outcome of ${date(on)}`, corrections > 0 && ", corrected"),
        withdrawn && !voided && h("p", { class: "hint" }, `${scopeWords(withdrawn)}, ${date(left)}: ${reason}`),
        voided && h("p", { class: "hint" }, `Void, ${date(voided)}: ${reason}`)),
      h("p", { class: `when ${state}` }, open ? dueInWords(participant) : outcome === null ? "" : written(outcome, this.me.outcomes)),
      this.me.state !== "locked" && h("div", { class: "buttons" },
        open && button("Record", record, "primary"),
        state === "known" && button("Correct", correct),
        state !== "void" && withdrawn !== "data" && button("Withdraw", withdraw)));
  }

  /** After a dialog: says what was done, and asks for the lists again. */
  #done(sentence) {
    announce(sentence);
    this.heading.focus({ preventScroll: true });
    this.#latest.again();
  }
}

/** Participants in one state, which can be folded. */
class List {
  #count = h("span", { class: "count" });
  #rows = h("ul", { class: "rows" });
  #more = h("button", { type: "button", onclick: () => this.#fill(this.#participants.length) });
  #participants = [];
  #row;
  #touched = false;
  #shown = MOST;

  constructor(state, title, row) {
    this.state = state;
    this.#row = row;
    const summary = h("summary", { onclick: () => (this.#touched = true) }, h("h3", {}, title, " ", this.#count));
    this.element = h("details", { class: `list ${state}`, open: OPEN.includes(state), hidden: true }, summary, this.#rows, this.#more);
  }

  show(participants, searching) {
    this.#participants = participants;
    this.element.hidden = participants.length === 0 && (searching || FOLDED.includes(this.state));
    if (searching) this.element.open = true;
    else if (!this.#touched) this.element.open = OPEN.includes(this.state);
    this.element.classList.toggle("empty", participants.length === 0);
    say(this.#count, String(participants.length));
    this.#fill(this.#shown);
  }

  #fill(most) {
    this.#shown = Math.max(MOST, most);
    const rest = this.#participants.length - this.#shown;
    const focused = this.#rows.contains(document.activeElement) && document.activeElement.ariaLabel;
    this.#rows.replaceChildren(...this.#participants.slice(0, this.#shown).map(this.#row));
    if (focused) [...this.#rows.querySelectorAll("button")].find(({ ariaLabel }) => ariaLabel === focused)?.focus();
    this.#more.hidden = rest <= 0;
    say(this.#more, `Show ${rest} more`);
  }
}

customElements.define("trial-outcomes", Outcomes);
