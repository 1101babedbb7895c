// Light, dark, or as the system has it; a classic script in the head, so that the page is never shown in the wrong one.
(() => {
  const root = document.documentElement;
  const stored = () => {
    try {
      return localStorage.getItem("theme") || "auto";
    } catch {
      return "auto"; // a browser may refuse to remember
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
          // then it lasts as long as the page
        }
      });
    }
  });
})();
