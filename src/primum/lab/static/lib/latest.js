// Asking again and again for what changes, never twice at once.
import { Refusal } from "./api.js";

/**
 * `work(signal)` asks and shows; `failed(sentence)` is told what went wrong, "" when it went well.
 * `again()` asks when the present answer is there; `anew()` gives up the present one.
 */
export class Latest {
  #work;
  #failed;
  #asking = null;
  #waiting = false;

  constructor(work, failed) {
    this.#work = work;
    this.#failed = failed;
  }

  again() {
    if (this.#asking) this.#waiting = true;
    else this.anew();
  }

  async anew() {
    this.stop();
    const asking = (this.#asking = new AbortController());
    let sentence = "";
    try {
      await this.#work(asking.signal);
    } catch (error) {
      if (!(error instanceof Refusal) && error.name !== "AbortError") throw error;
      sentence = error.message;
    }
    if (asking !== this.#asking) return;
    this.#asking = null;
    this.#failed(sentence);
    if (this.#waiting) this.anew();
  }

  stop() {
    this.#asking?.abort();
    this.#asking = null;
    this.#waiting = false;
  }
}
