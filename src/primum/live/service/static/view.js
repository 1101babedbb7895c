// The base of the views: a heading that takes the focus, and a place for what the server says.
import { h, say } from "./lib/dom.js";
import { ApiError, sentenceOf } from "./lib/requests.js";

/** A part of the page for some roles; `me` is who is logged in. `build()` fills it once. */
export class View extends HTMLElement {
  me = null;
  heading = h("h2", { tabindex: "-1" });
  fault = h("p", { class: "fault", role: "alert" });

  connectedCallback() {
    this.heading.textContent = this.constructor.title;
    this.append(this.heading);
    this.build();
  }

  /** Puts the focus where work begins. */
  begin() {
    this.heading.focus({ preventScroll: true });
  }

  /** The state of the trial has changed. */
  update() {}

  /** Waits for an action and shows why it failed, if it did; returns its result or undefined. */
  async attempt(action) {
    say(this.fault, "");
    this.ariaBusy = "true";
    try {
      return await action();
    } catch (error) {
      say(this.fault, sentenceOf(error));
      if (!(error instanceof ApiError)) throw error;
      return undefined;
    } finally {
      this.ariaBusy = "false";
    }
  }
}
