// The run that is shown: started, followed to its end, stopped, opened again.
import { api, Refusal } from "./api.js";
import { question } from "./state.js";

const PATIENCE = 5; // seconds to wait when the server is full and does not say how long

/** The same text for equal questions, whatever the order of the keys. */
const canonical = (data) =>
  JSON.stringify(data, (_, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

export const isSame = (one, other) => canonical(one) === canonical(other);

/**
 * Events: "status" when anything here changed, "sharper" when there are more replications to show or another run.
 * `asked` is the question that was run, `status` a Run of the server, `trouble` a sentence about what went wrong.
 */
class Run extends EventTarget {
  id = "";
  asked = null;
  status = null;
  trouble = "";
  starting = false; // asked for, and not yet answered
  #turn = 0; // the latest start or reopening: what earlier ones bring is ignored
  #stream = null;
  #retry = 0;

  /** Whether the question has changed since. */
  get stale() {
    return this.asked !== null && !isSame(this.asked, question.data);
  }

  /** Whether it is being computed. */
  get active() {
    return this.#stream !== null;
  }

  /** Whether something is under way that can be stopped: a start, a wait for a place on a full server, a run. */
  get busy() {
    return this.starting || this.#retry !== 0 || this.active;
  }

  async start() {
    const turn = this.#begin();
    const asked = structuredClone(question.data);
    this.starting = true;
    this.#say("");
    try {
      const status = await api.start(asked);
      if (turn === this.#turn) this.#show(asked, status);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (turn !== this.#turn) return;
      this.starting = false;
      if (error.status === 503) this.#tryAgain(error.message, error.retryAfter || PATIENCE);
      else this.#say(error.message);
    }
  }

  /** Stop the run, or the attempts to start it: a run that nobody follows is given up by the server. */
  async cancel() {
    if (!this.active) {
      this.#begin();
      this.#say("");
      return;
    }
    const turn = this.#turn;
    try {
      const status = await api.cancel(this.id);
      if (turn === this.#turn) this.#update(status);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (turn === this.#turn) this.#say(error.message);
    }
  }

  /** Show a run that was asked for before; its question is already in `question`. */
  reopen(id, { run }) {
    this.#begin();
    if (run.state === "unstarted") this.start();
    else this.#show(structuredClone(question.data), run);
  }

  #begin() {
    clearTimeout(this.#retry);
    this.#retry = 0;
    this.starting = false;
    this.#close();
    return ++this.#turn;
  }

  #close() {
    this.#stream?.close();
    this.#stream = null;
  }

  #show(asked, status) {
    const address = new URL(location.href);
    const before = address.searchParams.get("run");
    address.searchParams.set("run", status.id);
    if (before !== status.id) history[before === null ? "replaceState" : "pushState"](null, "", address);
    Object.assign(this, { id: status.id, asked, status: null, starting: false });
    if (["waiting", "running"].includes(status.state)) this.#follow();
    this.#update(status);
  }

  #follow() {
    const stream = (this.#stream = api.events(this.id));
    stream.onmessage = (event) => {
      if (stream === this.#stream) this.#update(JSON.parse(event.data));
    };
    stream.onerror = () => {
      if (stream !== this.#stream) return;
      if (stream.readyState === EventSource.CLOSED) {
        this.#close();
        this.#say("The laboratory has lost this run. Run it again: what was computed is kept.");
      } else this.#say("The laboratory does not answer; trying again.");
    };
  }

  #update(status) {
    if (status.state === "unstarted") {
      this.start(); // the server gave it up, for example because it was started again
      return;
    }
    const sharper = !this.status || status.replications > this.status.replications;
    this.status = status;
    if (!["waiting", "running"].includes(status.state)) this.#close();
    this.#say(status.state === "failed" ? status.sentence : "");
    if (sharper) this.dispatchEvent(new Event("sharper"));
  }

  #tryAgain(sentence, seconds) {
    this.trouble = `${sentence} Trying again in ${seconds} s.`;
    this.#retry = setTimeout(() => (seconds > 1 ? this.#tryAgain(sentence, seconds - 1) : this.start()), 1000);
    this.dispatchEvent(new Event("status"));
  }

  #say(sentence) {
    this.trouble = sentence;
    this.dispatchEvent(new Event("status"));
  }
}

export const run = new Run();
