// Imports arms from a CSV file of outcomes, with a choice of its layout, its columns and the scale.
import { api } from "../lib/api.js";
import { ApiError } from "../lib/requests.js";
import { catalogue } from "../lib/catalogue.js";
import { csvColumns, namesIn } from "./csv-columns.js";
import { h, say, unique } from "../lib/dom.js";
import { counted } from "../lib/formatting.js";
import { question } from "../lib/state.js";

const SAMPLES = { long: "one row per outcome", wide: "one column per arm" };

const sample = ([layout, words]) =>
  h("a", { href: `/api/arms-from-csv/sample-${layout}.csv`, download: `primum-sample-${layout}.csv` }, words);

export function csvUpload() {
  let file = null;
  let imported = ""; // describes the arms imported last, while another setting is rejected
  const picker = h("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", class: "unseen", id: unique("file") });
  const zone = h("div", { class: "drop" },
    picker, h("label", { class: "button", for: picker.id }, "Choose a CSV file"), h("span", { class: "hint" }, "or drop it here"));
  const status = h("p", { class: "hint", "aria-live": "polite" });
  const fault = h("p", { class: "fault", "aria-live": "polite" });
  const columns = csvColumns((given) => send([...given, ...missing()], true));
  const low = h("input", { type: "text", inputmode: "decimal", class: "short", "aria-label": "outcome rescaled to 0" });
  const high = h("input", { type: "text", inputmode: "decimal", class: "short", "aria-label": "outcome rescaled to 1" });
  const clip = h("input", { type: "checkbox" });
  const drop = h("input", { type: "checkbox" });
  const count = h("span");
  const leave = h("label", { class: "check", hidden: true }, drop, count);
  const unit = h("input", { type: "text", class: "short", id: unique("unit"), maxlength: 30, autocomplete: "off" });
  const settings = h("div", { class: "csv-settings", hidden: true }, leave, columns,
    h("p", { class: "scale" }, "Rescale: ", low, " → 0, ", high, " → 1"),
    h("label", { class: "check" }, clip, "Clip outcomes outside this range"),
    h("div", { class: "row" }, h("label", { for: unit.id }, "Unit of the outcomes (optional)"), unit));

  const missing = () => (drop.checked ? [["drop_missing", "true"]] : []);
  const scale = () => [["low", low.value], ["high", high.value], ["clip", clip.checked]].filter(([, given]) => given !== "");

  /** Fills the fields from a response; new columns have a new unit. */
  function fill(made, anew) {
    columns.show(made);
    low.value = made.low;
    high.value = made.high;
    leave.hidden = made.missing === 0;
    say(count, `Leave out ${counted(made.missing, "missing outcome")}`);
    if (anew) unit.value = made.outcome === null || made.outcome.toLowerCase() === "outcome" ? "" : made.outcome.slice(0, 30);
  }

  /** The unit of the rewards; null if outcomes are not rescaled. */
  const unitOf = (made) => (made.low === 0 && made.high === 1 ? null : { name: unit.value.trim(), low: made.low, high: made.high });

  async function send(options, anew) {
    const ask = (more) => api.armsFromCsv(file, [["name", file.name], ...options, ...more]);
    say(fault, "");
    try {
      const most = catalogue.limits.upload;
      if (file.size > most) throw new ApiError(0, { "": `${file.name} has ${file.size} bytes; the limit is ${most}.` });
      const made = await ask([]);
      fill(made, anew);
      say(status, `${file.name}: ${made.sentence}.`);
      question.change((data) => {
        data.arms = made.arms.map(({ name, distribution }) => ({ name, distribution }));
        data.unit = unitOf(made);
        if (!imported) data.title = file.name.replace(/\.[^.]+$/, "").slice(0, 200);
      });
      imported = `${status.textContent} The arms keep the scale from ${made.low} to ${made.high}.`;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const other = "drop_missing" in error.errors ? await withoutMissing(ask, anew) : error;
      say(fault, (other || error).message);
      say(status, imported || file.name);
      if (settings.hidden && other) columns.offer(await namesIn(file));
    }
    settings.hidden = false;
  }

  /** Learns how many outcomes are missing, to offer to leave them out; returns an error if something else is wrong. */
  async function withoutMissing(ask, anew) {
    try {
      fill(await ask([["drop_missing", "true"]]), anew);
      return null;
    } catch (other) {
      if (!(other instanceof ApiError)) throw other;
      return other;
    }
  }

  const begin = (chosen) => {
    if (!chosen) return;
    file = chosen;
    imported = "";
    clip.checked = drop.checked = false;
    low.value = high.value = unit.value = "";
    leave.hidden = settings.hidden = true;
    send([], true);
  };
  picker.addEventListener("change", () => begin(picker.files[0]));
  for (const field of [low, high, clip, drop]) {
    field.addEventListener("change", () => send([...columns.given(), ...scale(), ...missing()], false));
  }
  unit.addEventListener("input", () => question.change((data) => data.unit && (data.unit.name = unit.value.trim())));
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    begin(event.dataTransfer.files[0]);
  });
  return h("details", { class: "csv" }, h("summary", {}, "Import arms from a CSV file"),
    h("p", { class: "hint" },
      "The first line names the columns. Either one column names the arm and another has its outcome, or each column has the ",
      "outcomes of one arm. The imported arms replace those above. Sample files: ",
      Object.entries(SAMPLES).flatMap((each, i) => [i ? ", " : "", sample(each)]), "."),
    zone, status, fault, settings);
}
