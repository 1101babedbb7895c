// Journal: its entries with search, page by page, and the verification of the chain.
import { api } from "../api.js";
import { moment, zoneName } from "../dates.js";
import { field, line } from "../fields.js";
import { h, say } from "../lib/dom.js";
import { counted } from "../lib/formatting.js";
import { View } from "../view.js";

const LIMIT = 100; // entries of a page
const LONG = 120; // characters of a value before it is folded
const SHORT = 10; // characters of a hash

export class Journal extends View {
  static title = "Journal";
  static roles = ["auditor"];
  #search = field("search", "Search", line({ type: "search", enterkeyhint: "search" }), "A participant, a person, a kind of entry or any other text in it");
  #verdict = h("div", { class: "verdict", "aria-live": "polite" });
  #body = h("tbody", { role: "rowgroup" });
  #count = h("p", { class: "hint", role: "status" });
  #newer = h("button", { type: "button", onclick: () => this.#load(this.#starts.slice(0, -1)) }, "Newer entries");
  #older = h("button", { type: "button", onclick: () => this.#load([...this.#starts, this.#last]) }, "Older entries");
  #starts = [null]; // of the pages up to this one: the number of the entry above each
  #asked = null; // the pages up to the one that was asked for last
  #last = 0; // number of the last entry on the page

  build() {
    const search = h("form", { class: "search", role: "search" }, this.#search.element, h("button", { type: "submit" }, "Search"));
    search.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#load([null]);
    });
    const columns = ["Number", `Time (${zoneName()})`, "Who", "Kind", "Data", "Hash"];
    this.append(
      h("div", { class: "buttons" },
        h("button", { type: "button", class: "primary", onclick: () => this.#verify() }, "Verify"),
        h("a", { class: "button", href: "/api/journal.jsonl", download: true }, "Download journal.jsonl"),
        h("a", { class: "button", href: "/api/participants.csv", download: true }, "Download participants.csv")),
      this.#verdict,
      h("p", { class: "hint" }, "The journal reveals the arms. Each search, page and download is an entry itself."),
      search, this.fault, this.#count,
      h("table", { class: "journal", role: "table" }, h("caption", { class: "unseen" }, "Entries of the journal"),
        h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, columns.map((column) => h("th", { role: "columnheader", scope: "col" }, column)))), this.#body),
      h("div", { class: "buttons", role: "group", "aria-label": "Pages" }, this.#newer, this.#older));
    this.#load([null]);
  }

  /** The last of these pages: the newest entries first. */
  async #load(starts) {
    const [search, before] = [this.#search.text, starts.at(-1)];
    const isTurned = this.#asked !== null && (starts.length > 1 || this.#starts.length > 1);
    this.#asked = starts;
    const page = await this.attempt(() => api.journal({ newest_first: true, limit: LIMIT, search, ...(before === null ? {} : { before }) }));
    if (!page || starts !== this.#asked) return;
    const { entries, total } = page;
    this.#starts = starts;
    this.#last = entries.at(-1)?.number ?? 0;
    this.#body.replaceChildren(...entries.map(row));
    const range = entries.length ? `Entries ${entries[0].number} to ${this.#last}, the newest first.` : "No entries.";
    say(this.#count, `${range} ${counted(total, "entry", "entries")} ${search ? `with ‘${search}’` : "in all"}.`);
    this.#newer.disabled = starts.length === 1;
    this.#older.disabled = entries.length < LIMIT;
    if (isTurned) this.#count.scrollIntoView({ block: "nearest" });
  }

  async #verify() {
    const found = await this.attempt(() => api.verification());
    if (!found) return;
    const { ok, entries, head, problem, problem_entry: entry, notes } = found;
    const sentence = ok
      ? `The journal is sound: the hashes of ${counted(entries, "entry", "entries")} fit, and every allocation was recomputed.`
      : entry === null ? "The journal is not sound." : `Entry ${entry} does not fit.`;
    this.#verdict.replaceChildren(h("div", { class: `box ${ok ? "sound" : "warnings"}` },
      h("p", {}, h("strong", {}, sentence), problem && ` ${problem}`),
      ok && h("p", { class: "hint" }, "Head: ", h("code", { class: "hash" }, `${entries}:${head}`)),
      notes.length > 0 && h("ul", {}, notes.map((note) => h("li", {}, note)))));
  }
}

const cell = (kind, ...content) => h("td", { role: "cell", class: kind }, ...content);

const row = ({ number, at, who, kind, data, previous, hash }) =>
  h("tr", { role: "row" },
    h("th", { role: "rowheader", scope: "row", class: "number" }, number), cell("at", moment(at)), cell("who", who), cell("kind", kind),
    cell("data", h("dl", {}, Object.entries(data).map(([name, given]) => h("div", {}, h("dt", {}, name), h("dd", {}, readable(given)))))),
    cell("link", h("details", {}, h("summary", {}, h("code", {}, `${hash.slice(0, SHORT)}…`)),
      h("p", {}, "Hash ", h("code", { class: "hash" }, hash)), h("p", {}, "Before ", h("code", { class: "hash" }, previous || "none")))));

/** A value as text; a long one is folded. */
function readable(given) {
  const isList = Array.isArray(given) && given.every((part) => typeof part !== "object");
  const text = typeof given === "string" ? given : isList ? given.join(", ") : JSON.stringify(given, null, 1);
  const flat = text.replace(/\s+/g, " ");
  return flat.length <= LONG ? flat : h("details", {}, h("summary", {}, `${flat.slice(0, LONG / 2)}…`), h("pre", {}, text));
}

customElements.define("trial-journal", Journal);
