// Plotly figures made to fit the page: its colours, its width, and no heading or legend of their own.

const [LOW, HIGH, SHARE] = [400, 560, 0.42]; // the height of a figure with one panel: pixels, and of its width
const PANEL = 230; // the same of one of several
export const NARROW = 600; // below, panels stand one below the other
const LINE = 20; // of the legend
const TOP = 34; // room for the names of panels and for Plotly's buttons

const isAxis = (name) => /^[xy]axis\d*$/.test(name);

/** On a dark ground black lines are white, and white ones dark. */
export function lit({ data, layout }, { ground }) {
  const light = { "#000000": "#FFFFFF", "#6E6E6E": "#A0A0A0", white: ground };
  const change = (part) => {
    if (typeof part === "string") return light[part] || part.replace(/^rgba\(0, 0, 0,/, "rgba(255, 255, 255,");
    if (Array.isArray(part)) return part.map(change);
    return part && typeof part === "object" ? changeAll(part) : part;
  };
  const changeAll = (parts) => Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));
  return { data: data.map(changeAll), layout: { ...layout, shapes: change(layout.shapes), annotations: change(layout.annotations) } };
}

/** Policies have their names above all figures; arms and references are named in the figure's own legend. */
const isPolicy = (trace) => trace.stackgroup === undefined && /^\d+$/.test(trace.legendgroup ?? "");
const isNamed = (trace) => !isPolicy(trace) && trace.showlegend !== false;

/** The traces, without policies in the legend. */
export const traces = (data) => data.map((trace) => (isPolicy(trace) ? { ...trace, showlegend: false } : trace));

/** A layout in the colours of the page, on a narrow one with its panels one below the other. */
export function dressed(data, layout, { ink, line, ground, font }, width) {
  const narrow = width < NARROW;
  const named = data.filter(isNamed).length;
  const panels = Object.keys(layout).filter((name) => /^xaxis/.test(name)).length;
  const rows = narrow ? panels : new Set(domains(layout)).size;
  const dress = {
    ...layout,
    height: Math.max(LOW, panels > 1 ? TOP + rows * PANEL : Math.min(HIGH, SHARE * width)) + (named && LINE * (named + 1)),
    showlegend: named > 0,
    legend: { ...layout.legend, title: data.some((trace) => trace.stackgroup) ? layout.legend.title : { text: "" } },
    autosize: true,
    margin: { l: 10, r: 28, t: TOP, b: 50 }, // at the right there is room for half of the last number
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
