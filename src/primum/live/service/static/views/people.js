// Administration: the people of the trial, their roles and one-time codes, and the conduct of the trial.
import { api } from "../api.js";
import { date, moment, zoneName } from "../dates.js";
import { announce, closing, dialog } from "../dialog.js";
import { choice, field, line } from "../fields.js";
import { form } from "../form.js";
import { copyButton } from "../lib/copyable.js";
import { h, say } from "../lib/dom.js";
import { named } from "../lib/formatting.js";
import { View } from "../view.js";
import { conduct } from "./conduct.js";

const ROLES = {
  enrol: "Enrols participants and learns their kit, or in an open trial their arm.",
  record: "Records and corrects outcomes, and withdraws participants. Blinded.",
  monitor: "Sees accrual, outcomes waiting and counts by group. Blinded.",
  statistician: "Sees outcomes by arm, the analysis and the kit list. Unblinded.",
  auditor: "Reads and verifies the whole journal. Unblinded.",
  unblinder: "Learns the arm of one participant in an emergency, with a reason. Unblinded.",
  approver: "Approves the access of others and the lock of the trial. Blinded; never an administrator.",
  administrator: "Admits people, pauses the trial, ends recruitment, proposes the lock. Blinded; never an approver.",
};
const UNBLINDED = ["statistician", "auditor", "unblinder"];
const APPROVED = [...UNBLINDED, "approver", "administrator"]; // by a second person before they work
const [INVITED, WAITING, DISMISSED] = ["invited", "awaiting approval", "dismissed"];

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

  async #conducting() {
    const lock = this.me.state === "lock proposed" ? (await this.attempt(() => api.status()))?.lock : null;
    this.#conduct.replaceChildren(...conduct(this.me, lock, (sentence) => {
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

  #row({ name, roles, since, state, expires }) {
    const button = (text, action) => h("button", { type: "button", "aria-label": `${text}: ${name}`, onclick: () => action(name, roles) }, text);
    const standing = { [INVITED]: expires && `code valid until ${moment(expires)}`, [WAITING]: "waits for the approver", [DISMISSED]: "dismissed" }[state];
    return h("li", { class: state === DISMISSED && "gone" },
      h("div", {}, h("strong", {}, name), name === this.me.name && " (you)", h("p", { class: "hint" }, named(roles, roles.length))),
      h("p", { class: "when hint" }, standing || `since ${date(since)}`),
      h("div", { class: "buttons" }, state !== DISMISSED && [button("New code", (...who) => this.#renew(...who)), button("Dismiss", (who) => this.#dismiss(who))]));
  }

  #admit() {
    const name = field("name", "Name", line({ required: true }), "A name for the journal, such as a.smith or clinic-3-nurse");
    const roles = choice("roles", "Roles", Object.entries(ROLES).map(([role, text]) => [role, role, text]), { empty: "Choose at least one role." });
    const warning = h("p", { class: "word", role: "status" });
    roles.element.append(warning);
    roles.element.addEventListener("change", () => say(warning, doubtAbout(roles.values())));
    const box = dialog("Add a person", form({
      fields: [name, roles], submit: "Add", others: [closing()],
      unsure: "If the name is in the list already, make a new code for it; otherwise send it again.",
      send: () => api.admit(name.text, roles.values()),
      done: (admitted) => {
        box.close();
        this.#hand(admitted, roles.values());
      },
    }));
  }

  /** Shows a one-time code, which exists nowhere else, and says how it is handed over. */
  #hand({ name, code, link, expires }, roles) {
    const told = h("p", { class: "hint", role: "status" });
    const { origin, pathname, hash } = new URL(link, location.href);
    const address = h("code", {}, origin + pathname, h("wbr"), h("span", { class: "whole" }, hash));
    const says = (sentence) => say(told, sentence);
    const copy = copyButton(address, says);
    copy.textContent = "Copy the link";
    const approved = roles.filter((role) => APPROVED.includes(role) || (role === "enrol" && !this.me.blinded));
    dialog(`One-time code for ${name}`, h("div", { class: "sending" },
      h("p", {}, `Give it to ${name} in person, or send the link. With it ${name} chooses a password that you never learn. `
        + "Do not redeem it yourself. It is not shown again."),
      h("p", { class: "one-time whole" }, code),
      h("p", { class: "hint" }, `Works once, until ${moment(expires)}, ${zoneName()}.`),
      h("p", { class: "token" }, address), told,
      approved.length > 0 && h("p", { class: "word" }, `As ${named(approved, approved.length)}, ${name} also needs an approver, who asks for the check number that ${name} sees after the code.`),
      h("div", { class: "buttons" }, copy, closing("Done", "primary"))),
    () => this.#load());
  }

  #renew(name, roles) {
    const box = dialog(`New one-time code for ${name}?`, form({
      before: [h("p", {}, "The password, all tokens and all sessions of this person end now. Roles that need an approver need one again.")],
      submit: "Make a new code", others: [closing()], unsure: "Send it again: only the last code works.",
      send: () => api.renew(name),
      done: (renewed) => {
        box.close();
        this.#hand(renewed, roles);
      },
    }));
  }

  #dismiss(name) {
    const box = dialog(`Dismiss ${name}?`, form({
      before: [h("p", {}, "The password, all tokens and all sessions end now, and the name is not used again. What this person has done stays in the journal.")], submit: "Dismiss", others: [closing()],
      send: () => api.dismiss(name),
      done: () => {
        box.close();
        announce(`Dismissed: ${name}.`);
        this.#load();
      },
    }));
  }
}

/** What speaks against these roles in one person, if anything does. */
function doubtAbout(roles) {
  if (roles.includes("administrator") && roles.includes("approver")) return "Nobody can be both administrator and approver: the one checks the other.";
  const [open, blind] = [roles.filter((role) => UNBLINDED.includes(role)), roles.filter((role) => !UNBLINDED.includes(role))];
  return open.length && blind.length
    ? `This person would see unblinded data (${named(open)}) and work blinded (${named(blind)}). Give these roles to different people if you can.` : "";
}

customElements.define("trial-people", People);
