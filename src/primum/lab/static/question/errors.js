// What is wrong, said beside the field it is about.
import { h, say, unique } from "../lib/dom.js";
import { question } from "../lib/state.js";

/** A line below a field; `about(line, place)` tells it where the field is. */
export function faultLine(field) {
  const line = h("p", { class: "fault", id: unique("fault"), "aria-live": "polite" });
  if (field) field.setAttribute("aria-describedby", `${field.getAttribute("aria-describedby") || ""} ${line.id}`.trim());
  return line;
}

export function about(line, place) {
  line.dataset.place = place;
  update(line);
}

/** The places that a line tells of: its own, and for a field of several numbers that of each, such as `weights[1]`. */
const placesOf = ({ dataset: { place, many } }) =>
  Object.keys(question.appraisal?.errors || {}).filter((at) => at === place || (many && at.startsWith(`${place}[`)));

function update(line) {
  const sentence = placesOf(line).map((place) => question.error(place)).join(" ");
  say(line, sentence);
  const field = document.querySelector(`[aria-describedby~="${line.id}"]`);
  if (sentence) field?.setAttribute("aria-invalid", "true");
  else field?.removeAttribute("aria-invalid");
}

/** A line for what is wrong below a place and has no field of its own, so that nothing goes unsaid. */
export const otherFaults = (prefix) => h("p", { class: "fault", "data-prefix": prefix, "aria-live": "polite" });

const below = (place, prefix) => place === prefix || place.startsWith(prefix + ".") || place.startsWith(prefix + "[");

/** How many things are wrong below a place. */
export const countFaults = (prefix) =>
  Object.keys(question.appraisal?.errors || {}).filter((place) => below(place, prefix)).length;

question.addEventListener("appraisal", () => {
  const lines = [...document.querySelectorAll(".fault[data-place]")];
  lines.forEach(update);
  const told = new Set(lines.flatMap(placesOf));
  for (const line of document.querySelectorAll(".fault[data-prefix]")) {
    const rest = Object.entries(question.appraisal.errors).filter(
      ([place]) => below(place, line.dataset.prefix) && !told.has(place),
    );
    say(line, rest.map(([, sentence]) => sentence).join(" "));
  }
});
