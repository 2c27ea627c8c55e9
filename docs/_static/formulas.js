/* Set the TeX source in the page: blocks are displayed formulas, spans are inline. */
document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".tex")) {
    katex.render(place.textContent, place, { displayMode: place.tagName === "DIV", throwOnError: false });
  }
});
