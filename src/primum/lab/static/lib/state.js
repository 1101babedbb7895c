// The question as it is being edited, and the server's preview and cost of it.
import { api } from "./api.js";
import { asSpec } from "./catalogue.js";
import { ApiError } from "./requests.js";

const PAUSE_MILLISECONDS = 120; // from a change to the request

/**
 * Events: "change" after a change of `data`, "appraisal" and "cost" when the server has sent them.
 * `data` is { title, unit, arms: [{ name, distribution }], value, policies, horizon, replications, seed }.
 */
export class Question extends EventTarget {
  data = null;
  example = null; // the preset, until it is edited
  appraisal = null;
  cost = null;
  #timer = 0;
  #asking = false;
  #weighing = false;

  replace(data, example = null) {
    this.example = example;
    this.appraisal = null; // it was of another question
    this.data = {
      ...data,
      arms: data.arms.map((arm) => ({ ...arm, distribution: asSpec(arm.distribution) })),
      value: asSpec(data.value),
      policies: data.policies.map(asSpec),
    };
    this.#changed(0);
  }

  /** `mutate` receives a copy to change. */
  change(mutate) {
    const copy = structuredClone(this.data);
    mutate(copy);
    if (this.example && substance(copy) !== substance(this.data)) {
      if (copy.title === this.example.title) copy.title = ""; // it describes the example only
      this.example = null;
    }
    if (shape(copy) !== shape(this.data)) this.appraisal = null;
    this.data = copy;
    this.#changed(this.appraisal ? PAUSE_MILLISECONDS : 0);
  }

  /** The sentence about a place such as `arms[0].distribution.low`, or nothing. */
  error(place) {
    return this.appraisal?.errors[place] || "";
  }

  /** Everything that prevents a run, in sentences. */
  get faults() {
    const { errors, policies } = this.appraisal || { errors: {}, policies: [] };
    return [...Object.values(errors), ...policies.map((policy) => policy?.fault).filter(Boolean)];
  }

  #changed(pause) {
    this.cost = null;
    this.dispatchEvent(new Event("change"));
    if (!this.#asking) this.#timer ||= setTimeout(() => this.#appraise(), pause); // later changes go with this request
  }

  /** Requests an appraisal, one at a time, so that a slow server still responds while a slider is dragged. */
  async #appraise() {
    const asked = this.data;
    this.#timer = 0;
    this.#asking = true;
    let appraisal;
    try {
      appraisal = await appraisalOf(asked);
    } finally {
      this.#asking = false;
      if (asked !== this.data) this.#appraise();
    }
    if (shape(asked) !== shape(this.data)) return; // it is about other arms or policies
    this.appraisal = appraisal;
    this.dispatchEvent(new Event("appraisal"));
    if (asked === this.data) this.#weigh();
  }

  /** Requests the cost of a run, which the server measures: only when nothing changes, and one at a time. */
  async #weigh() {
    if (this.#weighing || !this.appraisal || this.faults.length) return;
    const asked = this.data;
    let cost = null;
    this.#weighing = true;
    try {
      cost = await orNothing(() => api.cost(asked));
    } finally {
      this.#weighing = false;
      if (asked !== this.data && !this.#asking && !this.#timer) this.#weigh();
    }
    if (asked !== this.data) return;
    this.cost = cost;
    this.dispatchEvent(new Event("cost"));
  }
}

const substance = ({ arms, value, policies }) => JSON.stringify([arms, value, policies]);

const shape = ({ arms, value, policies }) =>
  JSON.stringify([arms.map((arm) => arm.distribution.name), value.name, policies.map((policy) => policy.name)]);

/** The response, or null if the server refuses: starting the run will say why. */
async function orNothing(ask) {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return null;
  }
}

async function appraisalOf(data) {
  try {
    return await api.appraise(data);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { errors: error.errors, arms: [], policies: [], alternatives: [], best: [], verdict: "" };
  }
}

export const question = new Question();
