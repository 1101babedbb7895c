// A figure from the server, drawn by Plotly in the colours of the page.
import { catalogue } from "../lib/catalogue.js";
import { h, say } from "../lib/dom.js";
import { dressed, lit, NARROW_PIXELS, traces } from "./figure-style.js";

const CONFIG = {
  responsive: true,
  displaylogo: false,
  typesetMath: false,
  showSendToCloud: false,
  modeBarButtonsToRemove: ["toImage", "select2d", "lasso2d"],
};
/** Plotly is large and loads after the page. */
const plotly = new Promise((resolve) => {
  const there = () => resolve(window.Plotly);
  if (window.Plotly) there();
  else document.querySelector("#plotly").addEventListener("load", there);
});
const EDGE = 4; // pixels between a figure and the bottom of the window
const touch = matchMedia("(hover: none)");
const dark = matchMedia("(prefers-color-scheme: dark)");

class Figure extends HTMLElement {
  #figure = null;
  #kind = "";
  #key = "";
  #drawn = ""; // the kind drawn last
  #narrow = false;
  #height = 0; // of the window, when it was drawn
  #title = h("h2", {});
  #subtitle = h("p", { class: "subtitle" });
  #plot = h("div", { class: "plot" });
  #text = "";

  connectedCallback() {
    this.prepend(h("div", { class: "words" }, this.#title, this.#subtitle)); // beside what the page put here
    this.append(this.#plot);
    const redraw = () => this.#draw();
    dark.addEventListener("change", redraw);
    new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    new ResizeObserver(() => {
      if (this.#narrow !== this.clientWidth < NARROW_PIXELS) this.#draw();
    }).observe(this);
    window.addEventListener("resize", () => this.#height !== innerHeight && this.#draw());
  }

  /** The pixels from the top of the plot to the bottom of the window, if the page is not scrolled. */
  #room() {
    this.#height = innerHeight;
    return Math.floor(innerHeight - this.#plot.getBoundingClientRect().top - scrollY) - EDGE;
  }

  /** `key` identifies the figure: while it stays, so does the zoom; `text` describes it to screen readers. */
  show(figure, kind, key, text) {
    this.#figure = figure;
    this.#kind = kind;
    this.#key = key;
    say(this.#title, figure.title);
    say(this.#subtitle, figure.subtitle);
    this.#text = text;
    this.#draw();
  }

  async #draw() {
    const Plotly = await plotly;
    if (!this.#figure || !this.clientWidth) return;
    this.#narrow = this.clientWidth < NARROW_PIXELS;
    const look = colours(this.#plot);
    const { data, layout } = look.dark ? lit(this.#figure, look, catalogue.on_dark) : this.#figure;
    const dress = dressed(data, layout, look, this.clientWidth, this.#room());
    Object.assign(dress, { uirevision: this.#key, dragmode: touch.matches ? false : "zoom" });
    // Plotly keeps the margins of removed axes, so another kind of figure is drawn from scratch
    const draw = this.#kind === this.#drawn ? Plotly.react : Plotly.newPlot;
    this.#drawn = this.#kind;
    await draw(this.#plot, traces(data), dress, { ...CONFIG, displayModeBar: touch.matches ? false : "hover" });
    // the plot is one image to screen readers; Plotly's buttons stay buttons
    const [image, ...overlays] = this.#plot.querySelectorAll(".main-svg");
    image.setAttribute("role", "img");
    image.setAttribute("aria-label", this.#text);
    for (const overlay of overlays) overlay.setAttribute("aria-hidden", "true");
  }
}

/** The colours of the page at the figure, from its style sheet. */
function colours(element) {
  const { color, borderTopColor, backgroundColor, fontFamily } = getComputedStyle(element);
  const light = Number(color.match(/[\d.]+/)[0]) > 128;
  return { ink: color, line: borderTopColor, ground: backgroundColor, font: fontFamily, dark: light };
}

customElements.define("primum-figure", Figure);
