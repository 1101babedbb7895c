// What is looked at: which figure, how, and which policies.

/** Events: "change". Policies are known by their labels, so that the choice outlives a run. */
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

  /** The hidden ones among these, but never all of them. */
  hiddenOf(labels) {
    const hidden = labels.filter((label) => this.hidden.has(label));
    return hidden.length < labels.length ? hidden : [];
  }
}

export const view = new View();
