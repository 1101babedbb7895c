// Repeated requests for something that changes: one at a time, and only the latest counts.
import { ApiError, sentenceOf } from "./requests.js";

/**
 * `work(signal)` fetches and shows; `failed(sentence)` is called after each request, with "" if it succeeded.
 * `again()` waits for the present request before it sends the next; `anew()` aborts the present one.
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
      if (error.name === "AbortError") return;
      sentence = sentenceOf(error);
      if (!(error instanceof ApiError)) throw error;
    } finally {
      if (asking === this.#asking) {
        this.#asking = null;
        this.#failed(sentence);
        if (this.#waiting) this.anew();
      }
    }
  }

  stop() {
    this.#asking?.abort();
    this.#asking = null;
    this.#waiting = false;
  }
}
