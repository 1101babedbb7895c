"use strict";
(() => {
  // Each figure is a picture until it comes near the window; then it can be pointed at. Paper gets the picture.
  const touch = !matchMedia("(hover: hover)").matches;
  const family = '"Helvetica Neue", Arial, "Liberation Sans", sans-serif'; // narrow enough for a telephone
  const options = {
    responsive: true,
    displayModeBar: touch ? false : "hover",
    displaylogo: false,
    typesetMath: false, // a dollar is a dollar
    showSendToCloud: false, // nothing leaves this page
    modeBarButtonsToRemove: ["select2d", "lasso2d"],
  };
  const draw = async (figure) => {
    const plots = figure.querySelector(".plots");
    figure.classList.add("live");
    try {
      const parts = JSON.parse(figure.querySelector("script").textContent);
      plots.replaceChildren(...parts.map(() => document.createElement("div"))); // all first: they share the width
      for (const [i, { data, layout }] of parts.entries()) {
        delete layout.width;
        layout.font = { ...layout.font, family };
        if (touch) layout.dragmode = false; // a finger scrolls the page
        await Plotly.newPlot(plots.children[i], data, layout, options);
      }
    } catch (error) {
      figure.classList.remove("live");
      plots.replaceChildren();
      console.error(figure.closest("article").id, error);
    }
  };
  if ("IntersectionObserver" in window) {
    const seen = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          seen.unobserve(entry.target);
          draw(entry.target);
        }
      },
      { rootMargin: "400px 0px" },
    );
    for (const figure of document.querySelectorAll("figure")) seen.observe(figure);
  }

  // A link to a claim shows all of it, and one to a figure opens what it is folded in.
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const more = target.querySelector(":scope > .more details");
    const around = target.closest("details");
    if (more) more.open = true;
    if (around && !around.open) {
      around.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", unfold);
  unfold();

  const button = document.getElementById("unfold");
  const rows = [...document.querySelectorAll(".claims details")];
  button.hidden = false;
  button.addEventListener("click", () => {
    const open = rows.some((row) => !row.open);
    for (const row of rows) row.open = open;
    button.textContent = open ? "Collapse all" : "Expand all";
  });

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
  });
})();
