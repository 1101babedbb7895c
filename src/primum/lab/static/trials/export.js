// Exports: the design file, the report, the commands, and a link.
import { copyable } from "../lib/copyable.js";
import { h, say } from "../lib/dom.js";
import { trial } from "./state.js";

class TrialExport extends HTMLElement {
  #design = h("a", { class: "button", download: "design.toml" }, "Design file (TOML)");
  #report = h("button", { type: "button", onclick: () => this.#fetch() }, "Report (ZIP)");
  #state = h("p", { class: "hint", role: "status" });
  #commands = copyable("Commands", "The first computes the report with more simulated trials, the second starts a trial with this design.");
  #link = copyable("Link", "Opens these settings for anyone who can reach this server.");

  connectedCallback() {
    this.append(h("h2", {}, "Export"), h("p", { class: "row" }, this.#design, this.#report), this.#state, this.#commands, this.#link);
    trial.addEventListener("change", () => {
      this.#design.href = `/api/trials/design.toml?${trial.query}`;
      this.#link.show(location.origin + location.pathname + (trial.query && `?${trial.query}`));
      say(this.#state, "");
    });
  }

  show({ commands }) {
    this.#commands.show(commands.join("\n"));
  }

  /** A report takes seconds, and may be refused: a plain link would say neither. */
  async #fetch() {
    this.#report.disabled = true;
    say(this.#state, "The report is being written; this takes some seconds.");
    try {
      const response = await fetch(`/api/trials/report.zip?${trial.query}`);
      if (!response.ok) {
        const { errors } = await response.json();
        say(this.#state, Object.values(errors).join(" "));
        return;
      }
      const address = URL.createObjectURL(await response.blob());
      h("a", { href: address, download: "primum-trial-report.zip" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000); // the browser reads it after the click
      say(this.#state, "Saved. Unpack it and open report/index.html.");
    } catch {
      say(this.#state, "The server does not respond. Is it still running?");
    } finally {
      this.#report.disabled = false;
    }
  }
}

customElements.define("trial-export", TrialExport);
