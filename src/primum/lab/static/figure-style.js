// Plotly figures made to fit the page: its colours, its width, and no heading or legend of their own.

const SINGLE = 400; // pixels: the height of a figure with one panel
const PANEL = 220; // the same of one of several panels that are piled up
const TOP = 34; // room for the names of panels and for Plotly's buttons

const isAxis = (name) => /^[xy]axis\d*$/.test(name);
const isMany = (layout) => "yaxis2" in layout || "xaxis2" in layout;

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

/** A layout in the colours of the page. */
export function dressed(data, layout, { ink, line, ground, font }) {
  const many = isMany(layout);
  const legend = data.some((trace) => trace.stackgroup !== undefined); // stacked areas are arms, not policies
  const entries = data.filter((trace) => trace.showlegend !== false).length + 1;
  const height = many || legend ? layout.height - layout.margin.t + TOP - (legend ? 0 : 20 * entries) : SINGLE;
  const dress = {
    ...layout,
    height,
    autosize: true,
    showlegend: legend,
    margin: { ...layout.margin, t: TOP },
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
  return dress;
}

/** Panels one below the other, where the page is too narrow for several in a row. */
export function piled(layout) {
  if (!isMany(layout)) return layout;
  const columns = Object.keys(layout).filter((name) => name.startsWith("xaxis"));
  const extra = layout.height - SINGLE; // the legend's
  const height = PANEL * columns.length + Math.max(0, Math.min(extra, 200));
  const pile = { ...layout, height, annotations: [...(layout.annotations || [])] };
  columns.forEach((name, i) => {
    const top = 1 - i / columns.length;
    pile[name] = { ...layout[name], domain: [0, 1] };
    const across = name.replace("x", "y");
    pile[across] = { ...layout[across], domain: [top - 0.72 / columns.length, top], showticklabels: true };
    if (pile.annotations[i]) pile.annotations[i] = { ...pile.annotations[i], x: 0.5, y: top };
  });
  return pile;
}
