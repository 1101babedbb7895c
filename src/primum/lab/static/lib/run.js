// The run that is shown: started, followed to its end, cancelled, reopened.
import { api } from "./api.js";
import { ApiError, sentenceOf } from "./requests.js";
import { question } from "./state.js";

const RETRY_SECONDS = 5; // until the next attempt, if a full server does not say

/** One text for equal questions, whatever the order of their keys. */
const canonical = (data) =>
  JSON.stringify(data, (_, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

export const isSame = (one, other) => canonical(one) === canonical(other);

/**
 * Events: "status" after any change here, "sharper" when there are more replications to show, or another run.
 * `asked` is the question that was run, `status` the server's Run, `trouble` a sentence about what went wrong,
 * `notice` one to show beside the progress.
 */
class Run extends EventTarget {
  id = "";
  asked = null;
  status = null;
  trouble = "";
  notice = "";
  starting = false; // requested, without a response yet
  byItself = false; // whether the run that is shown was started by a change, not by a person
  cancelled = false; // whether a person cancelled the run of this question
  #turn = 0; // counts starts and reopenings: responses to earlier ones are ignored
  #stream = null;
  #retry = 0;

  /** Whether the question has changed since the start. */
  get stale() {
    return this.asked !== null && !isSame(this.asked, question.data);
  }

  /** Whether it is being computed. */
  get active() {
    return this.#stream !== null;
  }

  /** Whether there is something to cancel: a start, the wait for a full server, a run. */
  get busy() {
    return this.starting || this.#retry !== 0 || this.active;
  }

  /** `byItself` if it follows a change, without a person who asked for it. */
  async start(byItself = false) {
    const turn = this.#begin();
    this.byItself = byItself;
    this.cancelled = false;
    const asked = structuredClone(question.data);
    this.starting = true;
    this.#say("");
    try {
      const status = await api.start(asked);
      if (turn === this.#turn) this.#show(asked, status);
    } catch (error) {
      if (turn === this.#turn) this.#notStarted(error);
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #notStarted(error) {
    this.starting = false;
    if ([429, 503].includes(error.status)) this.#tryAgain(error.message, error.retryAfter || RETRY_SECONDS);
    else this.#say(sentenceOf(error));
  }

  /** Cancel the run, or the attempts to start it; the server drops a run that nobody follows. */
  async cancel() {
    this.cancelled = true;
    if (!this.active) {
      this.#begin();
      this.#say("");
      return;
    }
    const turn = this.#turn;
    try {
      const status = await api.cancel(this.id);
      if (turn !== this.#turn) return;
      this.#update(status);
      this.notice = this.active ? `${status.sentence.replace(/^n/, "N")}.` : ""; // others follow it, so it continues
      this.#say("");
    } catch (error) {
      if (turn === this.#turn) this.#say(sentenceOf(error));
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** Show an earlier run, whose question is already in `question`. */
  reopen(id, { run }) {
    this.#begin();
    this.byItself = false;
    if (run.state === "unstarted") this.start();
    else this.#show(structuredClone(question.data), run);
  }

  #begin() {
    clearTimeout(this.#retry);
    this.#retry = 0;
    this.starting = false;
    this.notice = "";
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
    // of runs that start by themselves, one after the other, only the last is in the history
    const replaces = before === null || (this.byItself && history.state?.byItself);
    if (before !== status.id) history[replaces ? "replaceState" : "pushState"]({ byItself: this.byItself }, "", address);
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
        this.#say("Connection to this run lost. Press Run to continue; finished replications are kept.");
      } else this.#say("The server does not respond. Reconnecting…");
    };
  }

  #update(status) {
    if (status.state === "unstarted") {
      this.start(); // the server dropped it, for example because it was restarted
      return;
    }
    const sharper = !this.status || status.replications > this.status.replications;
    this.status = status;
    if (!["waiting", "running"].includes(status.state)) this.#close();
    this.#say(status.state === "failed" ? status.sentence : "");
    if (sharper) this.dispatchEvent(new Event("sharper"));
  }

  #tryAgain(sentence, seconds) {
    this.trouble = `${sentence.replace(/\.?$/, ".")} Retrying in ${seconds} s.`;
    this.#retry = setTimeout(() => (seconds > 1 ? this.#tryAgain(sentence, seconds - 1) : this.start(this.byItself)), 1000);
    this.dispatchEvent(new Event("status"));
  }

  #say(sentence) {
    this.trouble = sentence;
    this.dispatchEvent(new Event("status"));
  }
}

export const run = new Run();
