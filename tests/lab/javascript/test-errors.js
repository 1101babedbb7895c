import "/static/question/faults.js";
import { h } from "/static/lib/dom.js";
import { question } from "/static/lib/state.js";
import { about, countFaults, faultLine, otherFaults } from "/static/forms/errors.js";
import { equal } from "./assert.js";

/** Gives the question these errors, as the server does. */
function appraised(errors) {
  question.appraisal = { errors, policies: [] };
  question.dispatchEvent(new Event("appraisal"));
}

/** A field with its line for errors, on the page. */
function field(place, many = false) {
  const input = h("input", { "aria-describedby": "hint" });
  const line = faultLine(input);
  if (many) line.dataset.many = "true";
  document.body.append(input, line);
  about(line, place);
  return { input, line };
}

export function anErrorStandsBesideItsField() {
  const [low, high] = [field("arms[0].distribution.low"), field("arms[0].distribution.high")];
  appraised({ "arms[0].distribution.low": "low must be less than high" });
  equal([low.line.textContent, high.line.textContent], ["low must be less than high", ""]);
  equal([low.input.getAttribute("aria-invalid"), high.input.getAttribute("aria-invalid")], ["true", null]);
  equal(low.input.getAttribute("aria-describedby"), `hint ${low.line.id}`);
  appraised({});
  equal([low.line.textContent, low.input.getAttribute("aria-invalid")], ["", null]);
}

export function aListTellsTheErrorsOfItsNumbers() {
  const [one, many] = [field("value.level"), field("value.weights", true)];
  appraised({ "value.weights[0]": "first.", "value.weights[3]": "fourth.", "value.weightsum": "other" });
  equal([one.line.textContent, many.line.textContent], ["", "first. fourth."]);
}

export function errorsWithoutAFieldAreToldBelow() {
  field("arms[0].name");
  const rest = otherFaults("arms");
  document.body.append(rest);
  appraised({ "arms[0].name": "shown beside it", arms: "too many.", "arms[1].distribution": "wrong.", armsX: "no", value: "no" });
  equal(rest.textContent, "too many. wrong.");
}

export function errorsAreCountedBelowAPlace() {
  equal(countFaults("arms"), 0);
  appraised({ arms: "a", "arms[1]": "b", "arms[10].name": "c", "arms[1].name": "d", armsX: "e" });
  equal([countFaults("arms"), countFaults("arms[1]"), countFaults("value")], [4, 2, 0]);
}
