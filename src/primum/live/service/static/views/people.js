// Administration: the people of the trial, their roles and tokens, and the conduct of the trial.
import { api } from "../api.js";
import { date } from "../dates.js";
import { announce, closing, dialog } from "../dialog.js";
import { field, line } from "../fields.js";
import { form } from "../form.js";
import { copyButton } from "../lib/copyable.js";
import { h, say, unique } from "../lib/dom.js";
import { named } from "../lib/formatting.js";
import { View } from "../view.js";
import { conduct } from "./conduct.js";

const ROLES = {
  enrol: "Enrols participants and learns their kit, or in an open trial their arm.",
  record: "Records and corrects outcomes, and withdraws participants. Blinded.",
  monitor: "Sees accrual, outcomes waiting and counts by group. Blinded.",
  statistician: "Sees outcomes by arm, the analysis and the kit list. Unblinded.",
  auditor: "Reads and verifies the whole journal. Unblinded.",
  administrator: "Admits people, pauses and closes the trial. Blinded.",
};
const UNBLINDED = ["statistician", "auditor"];

export class People extends View {
  static title = "Administration";
  static roles = ["administrator"];
  #list = h("ul", { class: "rows people" });
  #conduct = h("section", { class: "panel" });

  build() {
    this.append(this.fault,
      h("section", { class: "panel" }, h("h3", {}, "People"), this.#list,
        h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", onclick: () => this.#admit() }, "Add a person"))),
      this.#conduct);
    this.#conducting();
    this.#load();
  }

  #conducting() {
    this.#conduct.replaceChildren(...conduct(this.me, (sentence) => {
      announce(sentence);
      this.heading.focus({ preventScroll: true });
      this.dispatchEvent(new Event("changed", { bubbles: true }));
    }));
  }

  update() {
    this.#conducting();
  }

  async #load() {
    const people = await this.attempt(() => api.people());
    if (people) this.#list.replaceChildren(...people.map((person) => this.#row(person)));
  }

  #row({ name, roles, since, active }) {
    const button = (text, action) => h("button", { type: "button", "aria-label": `${text}: ${name}`, onclick: () => action(name) }, text);
    return h("li", { class: !active && "gone" },
      h("div", {}, h("strong", {}, name), name === this.me.name && " (you)", h("p", { class: "hint" }, roles.join(", "))),
      h("p", { class: "when hint" }, active ? `since ${date(since)}` : "dismissed"),
      h("div", { class: "buttons" }, active && [button("New token", (who) => this.#renew(who)), button("Dismiss", (who) => this.#dismiss(who))]));
  }

  #admit() {
    const name = field("name", "Name", line({ required: true }), "A name for the journal, such as a.smith or clinic-3-nurse");
    const boxes = Object.keys(ROLES).map((role) => h("input", { type: "checkbox", value: role, "aria-describedby": unique("role"), onchange: () => warn() }));
    const chosen = () => boxes.filter(({ checked }) => checked).map(({ value }) => value);
    const warning = h("p", { class: "word", role: "status" });
    const warn = () => {
      const [open, blind] = [chosen().filter((role) => UNBLINDED.includes(role)), chosen().filter((role) => !UNBLINDED.includes(role))];
      say(warning, open.length && blind.length
        ? `This person would see unblinded data (${named(open)}) and work blinded (${named(blind)}). Give these roles to different people if you can.` : "");
    };
    const roles = {
      name: "roles", control: boxes[0], text: "any", fault: h("p", { class: "fault" }),
      fail: (sentence) => say(roles.fault, sentence),
    };
    roles.element = h("fieldset", { class: "roles" }, h("legend", {}, "Roles"), boxes.map((box) =>
      h("div", {}, h("label", {}, box, h("span", {}, box.value)), h("p", { class: "hint", id: box.getAttribute("aria-describedby") }, ROLES[box.value]))),
    warning, roles.fault);
    const box = dialog("Add a person", form({
      fields: [name, roles], submit: "Add", others: [closing()],
      unsure: "If the name is in the list already, make a new token for it; otherwise send it again.",
      send: () => api.admit(name.text, chosen()),
      done: (admitted) => {
        box.close();
        this.#token(admitted);
      },
    }));
  }

  /** Shows a new token, which exists nowhere else. */
  #token({ name, token }) {
    const told = h("p", { class: "hint", role: "status" });
    const text = h("code", {}, token);
    dialog(`Token of ${name}`, h("div", { class: "sending" },
      h("p", {}, "Give it to this person in a safe way. It is not shown again: the server keeps only its hash."),
      h("p", { class: "token" }, text), told,
      h("div", { class: "buttons" }, copyButton(text, (sentence) => say(told, sentence)), closing("Done", "primary"))),
    () => this.#load());
  }

  #renew(name) {
    const box = dialog(`New token for ${name}?`, form({
      before: [h("p", {}, "The present token no longer works from then on.")], submit: "Make a new token", others: [closing()], unsure: "Send it again: only the last token works.",
      send: () => api.renew(name),
      done: (renewed) => {
        box.close();
        this.#token(renewed);
      },
    }));
  }

  #dismiss(name) {
    const box = dialog(`Dismiss ${name}?`, form({
      before: [h("p", {}, "The token no longer works from then on. What this person has done stays in the journal.")], submit: "Dismiss", others: [closing()],
      send: () => api.dismiss(name),
      done: () => {
        box.close();
        announce(`Dismissed: ${name}.`);
        this.#load();
      },
    }));
  }
}

customElements.define("trial-people", People);
