// Exports: a link, files, and scripts that reproduce the results.
import { api } from "../lib/api.js";
import { ApiError } from "../lib/requests.js";
import { h } from "../lib/dom.js";
import { copyable } from "../lib/copyable.js";
import { isFigure, kindOf, nameOf, optionsShown, TABS } from "./figure-kinds.js";

const FIGURES = Object.keys(TABS).filter(isFigure);

class Export extends HTMLElement {
  #for = "";
  #link = copyable("Link", "Opens these settings and results for anyone who can reach this server.");
  #figures = h("tbody", {});
  #files = h("ul", { class: "files" });
  #python = copyable("Python script", "Reproduces these results.");
  #command = copyable("Command line", "An experiment file and the command that runs it.");

  connectedCallback() {
    const head = h("tr", {}, h("th", { scope: "col" }, "Figure"), h("th", { scope: "col", colspan: 3 }, "Files"));
    this.append(
      this.#link,
      h("section", {}, h("h3", {}, "Figures"), h("p", {}, "With the current statistic, axis and policies."),
        h("table", { class: "figures" }, h("thead", {}, head), this.#figures)),
      h("section", {}, h("h3", {}, "Data"), this.#files),
      this.#python,
      this.#command,
    );
  }

  async show({ rows }, id) {
    const labels = rows.map((row) => row.policy);
    this.#figures.replaceChildren(...FIGURES.map((tab) => figureRow(id, tab, labels)));
    this.#files.replaceChildren(
      file(id, "summary.csv", "Summary table", "CSV"),
      file(id, "results.nc", "Pulls of every replication at the recorded steps", "netCDF"),
      file(id, "experiment.toml", "Experiment file", "TOML"),
    );
    this.#link.show(`${location.origin}/?run=${id}`);
    if (this.#for === id) return;
    for (const [block, name] of [[this.#python, "script.py"], [this.#command, "command.sh"]]) {
      block.show(await api.text(id, name).catch((error) => {
        if (error instanceof ApiError) return error.message;
        throw error;
      }));
    }
    this.#for = id;
  }
}

const figureRow = (id, tab, labels) =>
  h("tr", {}, h("th", { scope: "row" }, TABS[tab]), filesOf(id, kindOf(tab), labels).map((link) => h("td", {}, link)));

/** Links to a figure with the current settings, one for each file format. */
export function filesOf(id, kind, labels) {
  const options = optionsShown(kind, labels);
  return ["png", "svg", "csv"].map((form) => {
    const href = api.address(id, `figures/${kind}.${form}`, options);
    const label = `${nameOf(kind)} as ${form.toUpperCase()}`;
    return h("a", { href, download: `${kind}.${form}`, "aria-label": label }, form.toUpperCase());
  });
}

const file = (id, name, text, form) =>
  h("li", {}, h("a", { href: api.address(id, name), download: name }, `${text} (${form})`));

customElements.define("primum-export", Export);
