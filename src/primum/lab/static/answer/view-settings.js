// The reader's choice of tab, statistic, axis and policies.

/** Events: "change". Policies are identified by their labels, so that the choice outlives a run. */
class View extends EventTarget {
  tab = "regret";
  statistic = "mean";
  log = false;
  panels = "choices"; // or "arms"
  hidden = new Set();

  change(given) {
    Object.assign(this, given);
    this.dispatchEvent(new Event("change"));
  }

  /** The hidden policies among these, but never all of them. */
  hiddenOf(labels) {
    const hidden = labels.filter((label) => this.hidden.has(label));
    return hidden.length < labels.length ? hidden : [];
  }
}

export const view = new View();
