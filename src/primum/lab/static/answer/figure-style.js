// Fits Plotly figures to the page: its colours and width, and policies outside the legend.

const [LOWEST_PIXELS, HIGHEST_PIXELS, HEIGHT_TO_WIDTH] = [260, 560, 0.6]; // of a figure with one panel
const [LOWEST_PANEL, HIGHEST_PANEL] = [140, 230]; // of each of several
export const NARROW_PIXELS = 600; // below this width, panels are stacked
const LEGEND_LINE = 20;
const TOP = 34; // for Plotly's buttons
const PANEL_TITLE = 26; // below the buttons
const BOTTOM = 50; // for the labels of the axis

const isAxis = (name) => /^[xy]axis\d*$/.test(name);

const numbers = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)).join(", ");

/** The figure on a dark background: `onDark` has what stands for a colour there, also in transparent bands. */
export function lit({ data, layout }, { ground }, onDark) {
  const light = { ...onDark, white: ground };
  const faded = Object.fromEntries(Object.entries(onDark).map((pair) => pair.map(numbers)));
  const change = (part) => {
    if (typeof part === "string") return light[part] || part.replace(/^rgba\((\d+, \d+, \d+)(?=,)/, (_, colour) => `rgba(${faded[colour] || colour}`);
    if (Array.isArray(part)) return part.map(change);
    return part && typeof part === "object" ? changeAll(part) : part;
  };
  const changeAll = (parts) => Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));
  return { data: data.map(changeAll), layout: { ...layout, shapes: change(layout.shapes), annotations: change(layout.annotations) } };
}

/** Policies are named above the figures; arms and reference lines in the figure's legend. */
const isPolicy = (trace) => trace.stackgroup === undefined && /^\d+$/.test(trace.legendgroup ?? "");
const isNamed = (trace) => !isPolicy(trace) && trace.showlegend !== false;

/** The traces, without policies in the legend. */
export const traces = (data) => data.map((trace) => (isPolicy(trace) ? { ...trace, showlegend: false } : trace));

const between = (low, number, high) => Math.max(low, Math.min(number, high));

/** A layout in the colours of the page, with stacked panels on a narrow one; so high that it ends in the window. */
export function dressed(data, layout, { ink, line, ground, font }, width, room) {
  const narrow = width < NARROW_PIXELS;
  const named = data.filter(isNamed).length;
  const panels = Object.keys(layout).filter((name) => /^xaxis/.test(name)).length;
  const rows = narrow ? panels : new Set(domains(layout)).size;
  const top = TOP + (panels > 1 && PANEL_TITLE);
  const legend = named && LEGEND_LINE * (named + 1);
  const [fits, highest] = [room - legend, Math.min(HIGHEST_PIXELS, HEIGHT_TO_WIDTH * width)];
  const height = panels > 1
    ? top + BOTTOM + rows * (narrow ? HIGHEST_PANEL : between(LOWEST_PANEL, (fits - top - BOTTOM) / rows, HIGHEST_PANEL))
    : between(LOWEST_PIXELS, fits, Math.max(highest, LOWEST_PIXELS));
  const dress = {
    ...layout,
    height: height + legend,
    showlegend: named > 0,
    legend: { ...layout.legend, title: data.some((trace) => trace.stackgroup) ? layout.legend.title : { text: "" } },
    autosize: true,
    margin: { l: 10, r: 28, t: top, b: BOTTOM }, // at the right, for half of the last tick label
    paper_bgcolor: "rgba(0, 0, 0, 0)",
    plot_bgcolor: "rgba(0, 0, 0, 0)",
    font: { ...layout.font, color: ink, family: font },
    hoverlabel: { ...layout.hoverlabel, bgcolor: ground, bordercolor: line, font: { color: ink, family: font } },
    modebar: { bgcolor: "rgba(0, 0, 0, 0)", color: ink, activecolor: ink },
    annotations: layout.annotations?.map((each) => ({ ...each, bgcolor: "rgba(0, 0, 0, 0)" })),
  };
  for (const name of Object.keys(layout).filter(isAxis)) {
    dress[name] = { ...layout[name], color: ink, gridcolor: line, linecolor: line, zerolinecolor: line, tickcolor: line };
  }
  return narrow && panels > 1 ? piled(dress, panels) : dress;
}

const domains = (layout) => Object.keys(layout).filter((name) => /^yaxis/.test(name)).map((name) => layout[name].domain?.[0]);

function piled(layout, panels) {
  const pile = { ...layout, annotations: [...layout.annotations] };
  for (let i = 0; i < panels; i++) {
    const [x, y] = ["xaxis", "yaxis"].map((name) => name + (i ? i + 1 : ""));
    const top = 1 - i / panels;
    pile[x] = { ...layout[x], domain: [0, 1], title: i < panels - 1 ? undefined : layout[x].title };
    pile[y] = { ...layout[y], domain: [top - 0.72 / panels, top], showticklabels: true };
    pile.annotations[i] = { ...layout.annotations[i], x: 0.5, y: top };
  }
  return pile;
}
