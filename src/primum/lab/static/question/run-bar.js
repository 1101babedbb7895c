// The bar that starts a run and shows its progress.
import { h, say, unique } from "../lib/dom.js";
import { help } from "../lib/help.js";
import { read } from "../lib/formatting.js";
import { run } from "../lib/run.js";
import { question } from "../lib/state.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const FIELDS = { horizon: "Horizon", replications: "Replications", seed: "Seed" };

class RunBar extends HTMLElement {
  #fields = {};
  #line = h("p", { class: "line", id: unique("run-line") });
  #progress = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run" });
  #announced = "";
  #aloud = h("p", { class: "unseen", "aria-live": "polite" });
  #run = h("button", { class: "primary", type: "button", "aria-describedby": this.#line.id, onclick: () => start() }, "Run");
  #cancel = h("button", { type: "button", hidden: true, onclick: () => run.cancel() }, "Cancel");

  connectedCallback() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "Run");
    const labels = Object.entries(FIELDS).map(([name, label]) => h("label", { class: name }, label, this.#field(name)));
    const words = help(
      "horizon, replications and seed",
      "The horizon is the number of steps; one arm is pulled at each. Each replication repeats the whole experiment ",
      "with new random numbers. The seed determines the random numbers: equal seeds give equal results.",
    );
    this.append(
      h("div", { class: "fields" }, labels, this.#newSeed()),
      words,
      h("div", { class: "state" }, this.#progress, this.#line),
      h("div", { class: "buttons" }, this.#cancel, this.#run),
      this.#aloud,
    );
    for (const name of ["change", "appraisal", "cost"]) question.addEventListener(name, () => this.#show());
    run.addEventListener("status", () => this.#show());
    document.addEventListener("keydown", (event) => this.#pressed(event));
    this.#show();
  }

  #field(name) {
    const change = (event) => question.change((data) => (data[name] = read(event.target.value)));
    const enter = (event) => event.key === "Enter" && !this.#wrong() && start();
    const given = { type: "text", inputmode: "numeric", autocomplete: "off", "aria-describedby": this.#line.id };
    return (this.#fields[name] = h("input", { ...given, oninput: change, onkeydown: enter }));
  }

  #newSeed() {
    const draw = () => question.change((data) => (data.seed = crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000));
    return h("button", { type: "button", "aria-label": "New seed", title: "New seed", onclick: draw }, "↻");
  }

  #pressed(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !this.contains(event.target)) {
      event.preventDefault();
      start();
    } else if (event.key === "Escape" && !event.defaultPrevented && run.busy && !document.querySelector(":popover-open")) {
      run.cancel();
    }
  }

  #show() {
    if (!question.data) return;
    for (const [name, field] of Object.entries(this.#fields)) {
      if (read(field.value) !== question.data[name]) field.value = question.data[name] ?? "";
      field.setAttribute("aria-invalid", Boolean(question.error(name)));
    }
    const { busy } = run;
    const wrong = this.#wrong();
    this.#progress.classList.toggle("idle", !busy); // it keeps its place, so that the page does not jump
    this.#progress.value = run.active ? run.status.share : 0;
    this.#progress.setAttribute("aria-valuetext", `${percentOf(this.#progress.value)} percent`);
    const trouble = (busy && !run.stale ? "" : wrong) || run.trouble;
    say(this.#line, trouble || this.#state());
    this.#line.classList.toggle("wrong", Boolean((!busy && wrong) || run.trouble));
    this.classList.toggle("telling", Boolean(trouble || busy)); // a narrow page has no room for the cost
    this.#run.disabled = Boolean(wrong);
    this.#offer({ cancel: busy, run: !busy || (run.active && run.stale) });
    this.#announce();
  }

  /** Says to screen readers what the bar shows: while it runs, at each quarter only. */
  #announce() {
    const { trouble, starting, status } = run;
    const now = `${run.id} ${trouble} ${starting} ${run.notice} ${status?.state} ${Math.floor(4 * (status?.share ?? 0))}`;
    if (now === this.#announced) return;
    this.#announced = now;
    say(this.#aloud, trouble || (starting ? "Starting." : status ? aloud(run) : ""));
  }

  /** Shows the buttons that apply; if a focused one disappears, the other gets the focus. */
  #offer({ cancel, run }) {
    const focused = document.activeElement;
    this.#cancel.hidden = !cancel;
    this.#run.hidden = !run;
    if (focused === this.#cancel && !cancel) this.#run.focus();
    if (focused === this.#run && !run) this.#cancel.focus();
  }

  /** Why there can be no run, or "". */
  #wrong() {
    const { cost } = question;
    const own = Object.keys(FIELDS).map((name) => question.error(name)).filter(Boolean);
    if (own.length) return own.join(" ");
    const [first, ...more] = question.faults;
    if (first) return `Correct this first: ${first}${more.length ? ` (and ${more.length} more)` : ""}`;
    return cost && !cost.fits ? cost.sentence : "";
  }

  #state() {
    if (run.starting) return "Starting…";
    return run.active ? `${run.notice} ${progressOf(run.status)}`.trim() : this.#cost();
  }

  #cost() {
    const sentence = question.cost?.sentence;
    return run.status?.state === "cancelled" && !run.stale
      ? `Cancelled after ${run.status.replications.toLocaleString("en")} of ${run.status.of.toLocaleString("en")} replications.`
      : sentence
        ? `Takes ${sentence}.`
        : "";
  }
}

/** Starts the run; on a narrow page, where the results are above the settings, scrolls to them. */
function start() {
  run.start();
  const answer = document.querySelector("#answer");
  const behavior = calm.matches ? "auto" : "smooth";
  const { top, bottom } = answer.getBoundingClientRect();
  if (top > innerHeight / 2 || bottom < innerHeight / 2) answer.scrollIntoView({ behavior });
}

/** "120 of 500 replications, about 4 s left". */
function progressOf({ state, replications, of, seconds_left: left, sentence }) {
  if (state === "waiting" && sentence) return sentence.replace(/^w/, "W");
  const done = `${replications.toLocaleString("en")} of ${of.toLocaleString("en")} replications`;
  return left === null ? done : `${done}, about ${duration(left)} left`;
}

function duration(seconds) {
  return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
}

const percentOf = (share) => Math.round(100 * share);

/** The same for screen readers. */
function aloud({ notice, status: { state, share, replications, of } }) {
  if (state === "finished") return `Finished: ${of} replications.`;
  if (state === "cancelled") return `Cancelled after ${replications} of ${of} replications.`;
  return state === "running" ? `${notice} Running, ${percentOf(share)} percent done.`.trim() : notice;
}

customElements.define("primum-run-bar", RunBar);
