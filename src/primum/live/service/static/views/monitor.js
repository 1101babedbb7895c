// Monitor: accrual, outcomes and blinded counts; it refreshes itself.
import { api } from "../api.js";
import { dayOf, shortDate, time, zoneName } from "../dates.js";
import { announce } from "../dialog.js";
import { chart } from "../lib/chart.js";
import { copyButton } from "../lib/copyable.js";
import { h, say } from "../lib/dom.js";
import { counted } from "../lib/formatting.js";
import { help } from "../lib/help.js";
import { Latest } from "../lib/latest.js";
import { table, tiles } from "../table.js";
import { View } from "../view.js";
import { unblindedTable } from "./approvals.js";

const EVERY = 15_000; // milliseconds
const DAY = 86_400_000;
const STATES = { open: "Enrolling", paused: "Paused", stopped: "Stopped", full: "Full", recruited: "Recruitment ended", "lock proposed": "Lock proposed", locked: "Locked" };

export class Monitor extends View {
  static title = "Monitor";
  static roles = ["monitor", "administrator", "statistician", "auditor"];
  #asOf = h("p", { class: "hint" });
  #numbers = h("div", {});
  #chart = chart();
  #noChart = h("p", { class: "hint" }, "Nobody is enrolled yet.");
  #groups = h("div", {});
  #warning = h("p", { class: "word", role: "status" });
  #unblinded = h("section", { class: "panel" });
  #head = h("code", { class: "hash" });
  #body = h("div", { class: "body", hidden: true });
  #timer = 0;
  #latest = new Latest(
    async (signal) => this.#show(await api.status(signal)),
    (sentence) => say(this.fault, sentence && `${sentence} The numbers below may be out of date.`),
  );
  #again = () => document.visibilityState === "visible" && this.#latest.again();

  build() {
    const download = h("p", {}, h("a", { href: "/api/participants.csv", download: true }, "Download participants.csv"));
    this.#body.append(this.#numbers, this.#warning,
      h("section", { class: "panel" }, h("h3", {}, "Accrual"), this.#noChart, this.#chart),
      h("section", { class: "panel" }, h("h3", {}, "Blinded groups"), this.#groups),
      this.#unblinded,
      h("section", { class: "panel" },
        h("div", { class: "titled" }, h("h3", {}, "Head of the journal"), help("head of the journal",
          "The number and the hash of the last entry. Write them down, or keep a copy outside this server. Later, ",
          h("code", {}, "primum trial verify --expect NUMBER:HASH"), " proves that no entry up to this one was changed.")),
        h("p", {}, this.#head, " ", copyButton(this.#head, announce))),
      this.me.roles.includes("monitor") ? download : "");
    this.append(this.#asOf, this.fault, this.#body);
    this.#latest.anew();
    this.#timer = setInterval(this.#again, EVERY);
    window.addEventListener("focus", this.#again);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
    this.#latest.stop();
    window.removeEventListener("focus", this.#again);
  }

  #show(status) {
    this.#body.hidden = false;
    say(this.#asOf, `As of ${time(Date.now())}, ${zoneName()}; refreshed every 15 seconds.`);
    this.#numbers.replaceChildren(tiles([
      ["Trial", STATES[status.state] ?? status.state, status.reason || (status.blinded ? "blinded" : "open-label")],
      ["Enrolled", status.enrolled, `of ${status.patients} planned`],
      ["Outcomes known", status.known],
      ["Outcomes pending", status.waiting, "due or not yet due"],
      ["Due", status.due, "of those waiting"],
      ["Overdue", status.overdue, "of those waiting", status.overdue > 0 && "alarm"],
      ["Withdrawn", status.withdrawn, "no outcome awaited"],
      ["Treatment stopped", status.stopped_treatment, "outcome still collected"],
      ["Void", status.voided, "enrolled in error"],
      ["Interim analyses done", status.looks_taken, status.looks_planned ? `of ${status.looks_planned} planned` : "none planned"],
    ]));
    say(this.#warning, status.clock_warnings
      ? `The server's clock has moved backwards (${counted(status.clock_warnings, "entry", "entries")} affected); verification lists where.` : "");
    say(this.#head, `${status.entries}:${status.head}`);
    this.#showUnblinded(status.unblindings ?? []);
    this.#showGroups(status);
    this.#showAccrual(status);
  }

  #showUnblinded(unblindings) {
    this.#unblinded.hidden = unblindings.length === 0;
    this.#unblinded.replaceChildren(unblindedTable(unblindings));
  }

  #showGroups({ groups, groups_after: after }) {
    if (after === 0) return this.#groups.replaceChildren(h("p", { class: "hint" }, "Participants are counted by group in tens, as soon as that tells nothing about single ones."));
    const most = Math.max(...groups.map(({ enrolled }) => enrolled), 1);
    const rows = groups.map(({ label, enrolled }) => {
      const bar = h("span", { class: "bar" });
      bar.style.inlineSize = `${(100 * enrolled) / most}%`;
      return [label, enrolled, h("span", { class: "bars", "aria-hidden": "true" }, bar)];
    });
    return this.#groups.replaceChildren(table(`The first ${after} participants by group, counted in tens; the labels hide which arm is which`, ["Group", "Enrolled", h("span", { class: "unseen" }, "Bar")], rows, [1]));
  }

  #showAccrual({ accrual, patients, enrolled, known }) {
    this.#noChart.hidden = accrual.length > 0;
    this.#chart.hidden = accrual.length === 0;
    if (!accrual.length) return;
    const days = accrual.map((day) => Date.parse(day.date));
    const [before, today] = [days[0] - DAY, Math.max(Date.parse(dayOf(Date.now())), days.at(-1))];
    const x = [before, ...days.flatMap((day) => [day, day]), today]; // counts are steps, each at the end of its day
    const line = (name, kind) => ({ name, x, y: [0, 0, ...accrual.flatMap((day) => [day[kind], day[kind]])] });
    const most = Math.max(patients, enrolled);
    this.#chart.draw({
      lines: [line("Enrolled", "enrolled"), line("Outcome known", "known")],
      across: "date", up: "participants", begin: before, most, level: [patients, `planned: ${patients}`], tell: (day) => shortDate(new Date(day).toISOString().slice(0, 10)),
      label: `Accrual: ${enrolled} of ${patients} planned participants enrolled, ${known} outcomes known.`,
    });
  }
}

customElements.define("trial-monitor", Monitor);
