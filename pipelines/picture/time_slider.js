// SPDX-License-Identifier: GPL-3.0-or-later
// Slider through the times of a quantity of the wall view (wall_view.js), which draws the values.
(function () {
  "use strict";
  const root = document.getElementById("wall-view");
  if (root.querySelector("canvas").hidden) return;  // no WebGL
  const bar = root.querySelector(".view-time");
  const [play, slider, label] = [bar.querySelector("button"), bar.querySelector("input"),
    bar.querySelector("span")];
  const choice = root.querySelector("select");
  const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const quantity = () => data.quantities[Number(choice.value)];
  let timer = null;

  function show() {
    const { frames, times, least, largest } = quantity();
    const moment = Math.min(Number(slider.value), frames.length - 1);
    const text = atob(frames[moment]);
    const values = new Float32Array(text.length / 2);
    for (let v = 0; v < values.length; ++v) {
      const code = text.charCodeAt(2 * v) + 256 * text.charCodeAt(2 * v + 1);
      values[v] = least + (code / 65535) * (largest - least);
    }
    label.textContent = times[moment];
    root.dispatchEvent(new CustomEvent("view-values", { detail: values }));
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  }
  // Quantities without times have no slider.
  function follow() {
    stop();
    bar.hidden = !quantity().frames;
    if (!bar.hidden) show();
  }
  play.addEventListener("click", () => {
    if (timer !== null) return stop();
    play.textContent = "Pause";
    timer = setInterval(() => {
      slider.value = String((Number(slider.value) + 1) % quantity().frames.length);
      show();
    }, 150);
  });
  slider.addEventListener("input", () => { stop(); show(); });
  choice.addEventListener("change", follow);
  follow();
})();
