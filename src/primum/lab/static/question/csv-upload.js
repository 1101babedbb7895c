// Imports arms from a CSV file of outcomes, with a choice of columns and scale.
import { api, ApiError } from "../lib/api.js";
import { catalogue } from "../lib/catalogue.js";
import { h, say, unique } from "../lib/dom.js";
import { question } from "../lib/state.js";

/** The names in the first line, for a file whose columns the server could not identify. */
async function columnsOf(file) {
  const line = (await file.slice(0, 10_000).text()).split(/\r?\n/, 1)[0];
  const separator = [",", ";", "\t", "|"].sort((a, b) => line.split(b).length - line.split(a).length)[0];
  return line.split(separator).slice(0, 100).map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
}

export function csvUpload() {
  let file = null;
  let imported = ""; // describes the arms imported last, while another setting is rejected
  const picker = h("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", class: "unseen", id: unique("file") });
  const zone = h("div", { class: "drop" },
    picker, h("label", { class: "button", for: picker.id }, "Choose a CSV file"), h("span", { class: "hint" }, "or drop it here"));
  const status = h("p", { class: "hint", "aria-live": "polite" });
  const fault = h("p", { class: "fault", "aria-live": "polite" });
  const arm = h("select", { id: unique("column") });
  const outcome = h("select", { id: unique("column") });
  const low = h("input", { type: "text", inputmode: "decimal", class: "short", "aria-label": "outcome rescaled to 0" });
  const high = h("input", { type: "text", inputmode: "decimal", class: "short", "aria-label": "outcome rescaled to 1" });
  const clip = h("input", { type: "checkbox" });
  const settings = h("div", { class: "csv-settings", hidden: true },
    h("div", { class: "pair" },
      h("div", { class: "field" }, h("label", { for: arm.id }, "arm column"), arm),
      h("div", { class: "field" }, h("label", { for: outcome.id }, "outcome column"), outcome)),
    h("p", { class: "scale" }, "Rescale: ", low, " → 0, ", high, " → 1"),
    h("label", { class: "check" }, clip, "Clip outcomes outside this range"));

  const fill = (select, columns, chosen) => {
    select.replaceChildren(...columns.map((column) => h("option", { value: column }, column)));
    select.value = chosen;
  };
  async function send(options) {
    say(fault, "");
    try {
      const most = catalogue.limits.upload;
      if (file.size > most) throw new ApiError(0, { "": `${file.name} has ${file.size} bytes; the limit is ${most}.` });
      const made = await api.armsFromCsv(file, { name: file.name, ...options });
      fill(arm, made.columns, made.arm);
      fill(outcome, made.columns, made.outcome);
      low.value = made.low;
      high.value = made.high;
      say(status, `${file.name}: ${made.sentence}.`);
      question.change((data) => {
        data.arms = made.arms.map(({ name, distribution }) => ({ name, distribution }));
        if (!imported) data.title = file.name.replace(/\.[^.]+$/, "").slice(0, 200);
      });
      imported = `${status.textContent} The arms keep the scale from ${made.low} to ${made.high}.`;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      say(fault, error.message);
      say(status, imported || file.name);
      if (settings.hidden) for (const select of [arm, outcome]) fill(select, await columnsOf(file), "");
    }
    settings.hidden = false;
  }
  const begin = (chosen) => {
    if (!chosen) return;
    file = chosen;
    imported = "";
    clip.checked = false;
    low.value = high.value = "";
    settings.hidden = true;
    send({});
  };
  const columns = () => ({ ...(arm.value && { arm: arm.value }), ...(outcome.value && { outcome: outcome.value }) });
  const scaled = () => ({ ...columns(), ...(low.value && { low: low.value }), ...(high.value && { high: high.value }), clip: clip.checked });

  picker.addEventListener("change", () => begin(picker.files[0]));
  for (const select of [arm, outcome]) select.addEventListener("change", () => arm.value && outcome.value && send(columns()));
  for (const field of [low, high, clip]) field.addEventListener("change", () => send(scaled()));
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
      "A file with one row per outcome: one column names the arm, another has the outcome. ",
      "The first line names the columns. The imported arms replace those above."),
    zone, status, fault, settings);
}
