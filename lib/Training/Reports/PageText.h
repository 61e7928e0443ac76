//===- PageText.h - Style and script of the page with curves ----*- C++ -*-===//
//
// Part of Weir, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef WEIR_LIB_TRAINING_REPORTS_PAGETEXT_H
#define WEIR_LIB_TRAINING_REPORTS_PAGETEXT_H

#include <string_view>

namespace weir {

/// Colours for light and dark screens: `train` and `validation` can be told
/// apart by people who see few colours.
inline constexpr std::string_view pageStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #222; --grid: #ddd;
  --train: #0063b1; --validation: #c2570c; }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #ddd;
  --grid: #3a3d44; --train: #6cb6ff; --validation: #f0a050; } }
body { background: var(--back); color: var(--text); max-width: 60rem;
  margin: 1rem auto; padding: 0 1rem; font: 1rem/1.4 system-ui, sans-serif; }
figure { margin: 0 0 2rem; }
figcaption { font-size: 1.1rem; font-weight: 600; }
svg { width: 100%; height: auto; touch-action: pan-y; }
svg text { font-size: 13px; fill: var(--text); }
.grid { stroke: var(--grid); }
.axis, .pointer path { stroke: var(--text); fill: none; }
.band { fill: var(--train); opacity: 0.2; }
path.train { stroke: var(--train); stroke-width: 2; fill: none;
  stroke-linejoin: round; stroke-linecap: round; }
circle.validation { fill: var(--validation); }
[hidden] { display: none; }
.pointer path { opacity: 0.5; }
.pointer text { paint-order: stroke; stroke: var(--back); stroke-width: 4px; }
.key span::before { content: ""; display: inline-block; width: 0.8em;
  height: 0.8em; margin: 0 0.4em 0 0.8em; background: var(--train); }
.key span.validation::before { background: var(--validation);
  border-radius: 50%; }
)";

/// Shows the values of the step under the pointer. It needs the constants
/// `curves` and `box`, the part of a drawing between the axes.
inline constexpr std::string_view pageScript = R"(
const number = value => Number(value.toPrecision(5)).toString();
const nearest = (points, step) => points.reduce((best, point) =>
  Math.abs(point[0] - step) < Math.abs(best[0] - step) ? point : best);

const {left, right, top: ceiling, bottom} = box;
document.querySelectorAll("svg").forEach((svg, index) => {
  const curve = curves[index], group = svg.querySelector(".pointer");
  const [low, high] = curve.steps;
  const column = step => left + (step - low) / (high - low) * (right - left);
  svg.addEventListener("pointermove", event => {
    const at = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(svg.getScreenCTM().inverse());
    const step = low + (at.x - left) / (right - left) * (high - low);
    const lines = [];
    let x = at.x;
    if (curve.train.length) {
      const [at, mean, least, most] = nearest(curve.train, step);
      x = column(at);
      lines.push(`step ${Math.round(at)}: ${number(mean)}` + (least < most ?
        ` (${number(least)} to ${number(most)})` : ""));
    }
    if (curve.validation.length) {
      const [at, value] = nearest(curve.validation, step);
      lines.push(`validation at step ${Math.round(at)}: ${number(value)}`);
      if (!curve.train.length) x = column(at);
    }
    const side = x > (left + right) / 2 ? ["end", -8] : ["start", 8];
    group.innerHTML = `<path d="M${x} ${ceiling}V${bottom}"/>` + lines.map(
      (line, i) => `<text x="${x + side[1]}" y="${ceiling + 16 + 18 * i}" ` +
        `text-anchor="${side[0]}">${line}</text>`).join("");
    group.removeAttribute("hidden");
  });
  svg.addEventListener("pointerleave", () =>
    group.setAttribute("hidden", ""));
});
)";

} // namespace weir

#endif // WEIR_LIB_TRAINING_REPORTS_PAGETEXT_H
