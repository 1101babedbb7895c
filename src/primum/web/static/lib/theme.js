// Light, dark, or the system's theme; a classic script in the head, so that the page never flashes in the wrong one.
(() => {
  const root = document.documentElement;
  const stored = () => {
    try {
      return localStorage.getItem("theme") || "auto";
    } catch {
      return "auto"; // storage may be blocked
    }
  };
  const apply = (theme) => {
    if (theme === "auto") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme);
  };
  apply(stored());
  document.addEventListener("DOMContentLoaded", () => {
    for (const radio of document.querySelectorAll("input[name=theme]")) {
      radio.checked = radio.value === stored();
      radio.addEventListener("change", () => {
        apply(radio.value);
        try {
          localStorage.setItem("theme", radio.value);
        } catch {
          // the choice then lasts as long as the page
        }
      });
    }
  });
})();
