// The question as it is being put, and what the server says of it.
import { api, Refusal } from "./api.js";

const PAUSE = 120; // milliseconds without a change before the server is asked

/** A plug-in as the forms hold it: always an object with a name. */
export const asSpec = (given) => (typeof given === "string" ? { name: given } : given);

/**
 * Events: "change" when `data` was changed, "appraisal" when the server has looked at it.
 * `data` is { title, arms: [{ name, distribution }], value, policies, horizon, replications, seed }.
 */
class Question extends EventTarget {
  data = null;
  appraisal = null;
  #timer = 0;
  #asking = null;

  replace(data) {
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
    this.data = copy;
    this.#changed(PAUSE);
  }

  /** The sentence about a place such as `arms[0].distribution.low`, or nothing. */
  error(place) {
    return this.appraisal?.errors[place] || "";
  }

  #changed(pause) {
    this.dispatchEvent(new Event("change"));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#appraise(), pause);
  }

  async #appraise() {
    this.#asking?.abort();
    const asking = (this.#asking = new AbortController());
    try {
      this.appraisal = await api.appraise(this.data, asking.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof Refusal)) throw error;
      this.appraisal = { errors: error.errors, arms: [], policies: [], alternatives: [], best: [], verdict: "" };
    }
    if (asking === this.#asking) this.dispatchEvent(new Event("appraisal"));
  }
}

export const question = new Question();
