// Error messages beside their fields.
import { h, say, unique } from "../lib/dom.js";

let current = () => ({});

/** `errors()` gives a sentence for each place; call `refresh` when others than before are to be shown. */
export function readErrors(errors) {
  current = errors;
}

/** The line for errors of a field; `about(line, place)` sets the field's place. */
export function faultLine(field) {
  const line = h("p", { class: "fault", id: unique("fault"), "aria-live": "polite" });
  if (field) field.setAttribute("aria-describedby", `${field.getAttribute("aria-describedby") || ""} ${line.id}`.trim());
  return line;
}

export function about(line, place) {
  line.dataset.place = place;
  update(line);
}

/** The places with errors that a line shows: its own, and for a list of numbers each item's, such as `weights[1]`. */
const placesOf = ({ dataset: { place, many } }) =>
  Object.keys(current()).filter((at) => at === place || (many && at.startsWith(`${place}[`)));

function update(line) {
  const sentence = placesOf(line).map((place) => current()[place]).join(" ");
  say(line, sentence);
  const field = document.querySelector(`[aria-describedby~="${line.id}"]`);
  if (sentence) field?.setAttribute("aria-invalid", "true");
  else field?.removeAttribute("aria-invalid");
}

/** The line for errors below a place that have no field of their own. */
export const otherFaults = (prefix) => h("p", { class: "fault", "data-prefix": prefix, "aria-live": "polite" });

const below = (place, prefix) => place === prefix || place.startsWith(prefix + ".") || place.startsWith(prefix + "[");

/** The number of errors at or below a place. */
export const countFaults = (prefix) =>
  Object.keys(current()).filter((place) => below(place, prefix)).length;

/** Shows the present errors in all lines. */
export function refresh() {
  const lines = [...document.querySelectorAll(".fault[data-place]")];
  lines.forEach(update);
  const shownPlaces = new Set(lines.flatMap(placesOf));
  for (const line of document.querySelectorAll(".fault[data-prefix]")) {
    const rest = Object.entries(current()).filter(
      ([place]) => below(place, line.dataset.prefix) && !shownPlaces.has(place),
    );
    say(line, rest.map(([, sentence]) => sentence).join(" "));
  }
}
