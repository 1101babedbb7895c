// The question as it is being put, and what the server says of it.
import { api, Refusal } from "./api.js";

const PAUSE = 120; // milliseconds from a change until the server is asked

/** A plug-in as the forms hold it: always an object with a name. */
export const asSpec = (given) => (typeof given === "string" ? { name: given } : given);

/**
 * Events: "change" when `data` was changed, "appraisal" when the server has looked at it, "cost" when it knows what a
 * run would take.
 * `data` is { title, arms: [{ name, distribution }], value, policies, horizon, replications, seed }.
 */
class Question extends EventTarget {
  data = null;
  example = null; // the preset that it still is
  appraisal = null;
  cost = null;
  #timer = 0;
  #asking = false;
  #weighing = false;

  replace(data, example = null) {
    this.example = example;
    this.appraisal = null; // the last one is about another question
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
      if (copy.title === this.example.title) copy.title = ""; // it is no longer what this is
      this.example = null;
    }
    if (shape(copy) !== shape(this.data)) this.appraisal = null;
    this.data = copy;
    this.#changed(this.appraisal ? PAUSE : 0);
  }

  /** The sentence about a place such as `arms[0].distribution.low`, or nothing. */
  error(place) {
    return this.appraisal?.errors[place] || "";
  }

  /** Why no run is possible, in sentences. */
  get faults() {
    const { errors, policies } = this.appraisal || { errors: {}, policies: [] };
    return [...Object.values(errors), ...policies.map((policy) => policy?.fault).filter(Boolean)];
  }

  #changed(pause) {
    this.cost = null;
    this.dispatchEvent(new Event("change"));
    if (!this.#asking) this.#timer ||= setTimeout(() => this.#appraise(), pause); // what changes meanwhile goes with it
  }

  /** Asks about the question as it is; never twice at a time, so that a slow server still answers while one drags. */
  async #appraise() {
    const asked = this.data;
    this.#timer = 0;
    this.#asking = true;
    const appraisal = await appraisalOf(asked);
    this.#asking = false;
    if (asked !== this.data) this.#appraise();
    if (shape(asked) !== shape(this.data)) return; // it is about other arms or policies
    this.appraisal = appraisal;
    this.dispatchEvent(new Event("appraisal"));
    if (asked === this.data) this.#weigh();
  }

  /** Asks what a run would take, which the server measures: so only when nothing changes, and never twice at a time. */
  async #weigh() {
    if (this.#weighing || !this.appraisal || this.faults.length) return;
    const asked = this.data;
    this.#weighing = true;
    const cost = await orNothing(() => api.cost(asked));
    this.#weighing = false;
    if (asked === this.data) {
      this.cost = cost;
      this.dispatchEvent(new Event("cost"));
    } else if (!this.#asking && !this.#timer) this.#weigh();
  }
}

const substance = ({ arms, value, policies }) => JSON.stringify([arms, value, policies]);

const shape = ({ arms, value, policies }) =>
  JSON.stringify([arms.map((arm) => arm.distribution.name), value.name, policies.map((policy) => policy.name)]);

/** What is asked for, or nothing if the server refuses: then starting the run says why. */
async function orNothing(ask) {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return null;
  }
}

async function appraisalOf(data) {
  try {
    return await api.appraise(data);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { errors: error.errors, arms: [], policies: [], alternatives: [], best: [], verdict: "" };
  }
}

export const question = new Question();
