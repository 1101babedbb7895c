// The errors of the question, beside their fields.
import { readErrors, refresh } from "../forms/errors.js";
import { question } from "../lib/state.js";

readErrors(() => question.appraisal?.errors || {});
question.addEventListener("appraisal", refresh);
