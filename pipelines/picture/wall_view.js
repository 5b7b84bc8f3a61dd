// SPDX-License-Identifier: GPL-3.0-or-later
// Interactive wall: turn, zoom, move, read a value, choose a mark. WebGL 1 without libraries;
// embedded into pages, so it fetches nothing and must not contain the text that ends a script.
(function () {
  // Area-weighted normals of the vertices.
  function wallViewNormals(position, corners) {
    const sum = new Float32Array(position.length);
    for (let t = 0; t < corners.length; t += 3) {
      const [a, b, c] = [3 * corners[t], 3 * corners[t + 1], 3 * corners[t + 2]];
      const u = [0, 1, 2].map((k) => position[b + k] - position[a + k]);
      const w = [0, 1, 2].map((k) => position[c + k] - position[a + k]);
      for (let k = 0; k < 3; ++k) {
        const n = u[(k + 1) % 3] * w[(k + 2) % 3] - u[(k + 2) % 3] * w[(k + 1) % 3];
        sum[a + k] += n;
        sum[b + k] += n;
        sum[c + k] += n;
      }
    }
    return sum;
  }

  // The embedded surface as WebGL arrays: positions in metres from the middle of their box, and its radius.
  function wallViewSurface(data) {
    const packed = new Uint16Array(wallViewBytes(data.positions).buffer);
    const corners = new (data.wide ? Uint32Array : Uint16Array)(wallViewBytes(data.corners).buffer);
    const count = packed.length / 3;
    const middle = [0, 1, 2].map((a) => (data.low[a] + data.high[a]) / 2);
    const position = new Float32Array(3 * count);
    let reach = 0;
    for (let v = 0; v < count; ++v) {
      let square = 0;
      for (let a = 0; a < 3; ++a) {
        const p = data.low[a] + (packed[3 * v + a] / 65535) * (data.high[a] - data.low[a]);
        position[3 * v + a] = p - middle[a];
        square += (p - middle[a]) * (p - middle[a]);
      }
      reach = Math.max(reach, Math.sqrt(square));
    }
    if (count === 0) reach = Math.hypot(...[0, 1, 2].map((a) => data.high[a] - middle[a]));
    return { position, corners, count, middle, reach, normals: wallViewNormals(position, corners) };
  }
  const root = document.getElementById("wall-view");
  const stage = root.querySelector(".view-stage");
  const canvas = root.querySelector("canvas");
  const output = root.querySelector("output");
  const legend = root.querySelector(".view-legend");
  const choice = root.querySelector("select");
  const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  // Keeps the picture in the canvas, so that it can be saved.
  const gl = canvas.getContext("webgl", { antialias: true, preserveDrawingBuffer: true });
  if (!gl || (data.wide && !gl.getExtension("OES_element_index_uint"))) {
    for (const part of root.children) part.hidden = !part.matches(".view-missing");
    return;
  }

  const { position, corners, count, middle, reach, normals } = wallViewSurface(data);
  const labels = data.quantities.length > 0 && data.quantities[0].labels || [];

  // --- WebGL ---------------------------------------------------------------------------------
  const program = wallViewProgram(gl, `
    attribute vec3 position, normal;
    attribute float value;
    uniform mat3 turn;
    uniform vec3 scale;   // x, y, depth
    uniform vec2 shift, range;
    varying vec3 seenNormal;
    varying float place;
    void main() {
      vec3 seen = turn * position;
      seenNormal = turn * normal;
      place = (value - range.x) / max(range.y - range.x, 1e-30);
      gl_Position = vec4(seen.xy * scale.xy + shift, -seen.z * scale.z, 1.0);
    }`,
  // Lights of the pictures (rasterise.cpp), in linear light.
  `
    precision mediump float;
    uniform sampler2D colours;
    uniform float glass;   // 1: transparent, most at the silhouette least
    uniform float inside;  // 1: both sides are outsides, as of a sheet
    varying vec3 seenNormal;
    varying float place;
    void main() {
      vec3 n = normalize(seenNormal);
      if (!gl_FrontFacing) n = -n;
      n.z = max(n.z, 0.0);
      float light = 0.36 + 0.62 * max(0.0, dot(n, normalize(vec3(-0.45, 0.65, 0.75))))
                  + 0.20 * max(0.0, dot(n, normalize(vec3(0.75, -0.10, 0.50))));
      light *= 0.72 + 0.28 * n.z;
      vec3 colour = texture2D(colours, vec2(clamp(place, 0.0, 1.0) * 255.0 / 256.0 + 0.5 / 256.0, 0.5)).rgb;
      colour = pow(colour, vec3(2.2)) * light;
      if (!gl_FrontFacing && inside < 0.5 && glass < 0.5) colour *= 0.45;
      float aslant = 1.0 - n.z;
      float opacity = glass > 0.5 ? 0.10 + 0.55 * aslant * aslant * aslant : 1.0;
      gl_FragColor = vec4(pow(min(colour, 1.0), vec3(1.0 / 2.2)), 1.0) * opacity;
    }`);
  const positionBuffer = wallViewBuffer(gl, position);
  const normalBuffer = wallViewBuffer(gl, normals);
  const valueBuffer = wallViewBuffer(gl, new Float32Array(count));
  const cornerBuffer = gl.createBuffer();
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, cornerBuffer);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STATIC_DRAW);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  const colours = wallViewTexture(gl, labels.length > 0 ? gl.NEAREST : gl.LINEAR);
  gl.enable(gl.DEPTH_TEST);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const marks = wallViewMarks(stage, data, middle, reach);
  const layers = data.lattice ? wallViewLattice(gl, data.lattice, middle) : null;
  const box = (name) => root.querySelector(`input[data-${name}]`);
  const isOn = (name) => Boolean(box(name) && box(name).checked);

  // --- the view ------------------------------------------------------------------------------
  const view = {};
  // View of the pictures, fitted to the canvas, and again when that changes its size before the
  // reader moves it.
  function firstView() {
    view.moved = false;
    view.axes = [data.right, data.up, data.toward].map((axis) => axis.slice());
    view.zoom = 1;
    resize();
    const scale = scales();
    const low = [1e30, 1e30], high = [-1e30, -1e30];  // in halves of the canvas
    const fit = (x, y, z) => {
      for (let k = 0; k < 2; ++k) {
        const at = scale[k] * (view.axes[k][0] * x + view.axes[k][1] * y + view.axes[k][2] * z);
        low[k] = Math.min(low[k], at);
        high[k] = Math.max(high[k], at);
      }
    };
    for (let v = 0; v < count; ++v) fit(position[3 * v], position[3 * v + 1], position[3 * v + 2]);
    if (count === 0) for (const corner of layers.box) fit(...corner);
    const room = marks.room(), size = [canvas.clientWidth, canvas.clientHeight];
    const filled = [0, 1].map((k) => Math.max(0.9, Math.min(1.86, 2 - (4 * room[k]) / size[k])));
    view.zoom = 1 / Math.max(...[0, 1].map((k) => (high[k] - low[k]) / filled[k]), 1e-6);
    view.shift = [0, 1].map((k) => (-view.zoom * (low[k] + high[k])) / 2);
  }
  // The surface's radius fills half of the canvas' smaller side.
  function scales() {
    const unit = (0.94 * view.zoom) / reach;
    const aspect = canvas.width / canvas.height;
    return aspect > 1 ? [unit / aspect, unit] : [unit, unit * aspect];
  }
  let asked = false;
  function redraw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(draw);
  }
  function resize() {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width === width && canvas.height === height) return false;
    canvas.width = width;
    canvas.height = height;
    return true;
  }
  function drawSurface(from, size, glass, inside) {
    if (size === 0) return;
    gl.uniform1f(program.uniform("glass"), glass ? 1 : 0);
    gl.uniform1f(program.uniform("inside"), inside ? 1 : 0);
    gl.drawElements(gl.TRIANGLES, size, data.wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT,
      from * (data.wide ? 4 : 2));
  }
  // Far side of the glass before its near side; it hides nothing.
  function drawGlass() {
    gl.enable(gl.BLEND);
    gl.enable(gl.CULL_FACE);
    gl.depthMask(false);
    for (const side of [gl.FRONT, gl.BACK]) {
      gl.cullFace(side);
      for (const label of labels)
        if (!label.inside) drawSurface(label.from, label.count, true, false);
    }
    gl.depthMask(true);
    gl.disable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
  }
  function useSurface(turn) {
    program.use();
    gl.uniformMatrix3fv(program.uniform("turn"), false, turn);
    gl.uniform3f(program.uniform("scale"), ...scales(), depthScale);
    gl.uniform2f(program.uniform("shift"), ...view.shift);
    gl.uniform2f(program.uniform("range"), ...shown.range);
    gl.bindTexture(gl.TEXTURE_2D, colours);
    program.bind("position", 3, positionBuffer);
    program.bind("normal", 3, normalBuffer);
    program.bind("value", 1, valueBuffer);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, cornerBuffer);
  }
  const depthScale = 0.8 / reach;
  function draw() {
    asked = false;
    if (resize() && !view.moved) firstView();
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const [x, y, z] = view.axes;
    const turn = [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
    const glass = isOn("glass");
    if (count > 0) {
      useSurface(turn);
      if (labels.length === 0) drawSurface(0, corners.length, false, false);
      for (const label of labels)
        if (label.inside || !glass) drawSurface(label.from, label.count, false, label.inside);
    }
    if (isOn("lattice"))
      layers.draw(turn, [...scales(), depthScale], view.shift, scales()[0] * canvas.width / 2);
    if (count > 0 && glass) {
      useSurface(turn);
      drawGlass();
    }
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const [sx, sy] = scales();
    const along = (axis, p) => axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
    marks.place(view, (p) => [(1 + along(x, p) * sx + view.shift[0]) * width / 2,
      (1 - along(y, p) * sy - view.shift[1]) * height / 2], width, height);
    clearTimeout(fading);
    fading = setTimeout(fadeMarks, 150);
  }
  // Marks behind the wall, found when the view rests.
  let fading = null;
  function fadeMarks() {
    const [sx, sy] = scales();
    const along = (axis, p) => axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
    marks.fade((p) => {
      if (isOn("glass") || count === 0) return false;
      const hit = pick(along(view.axes[0], p) * sx + view.shift[0], along(view.axes[1], p) * sy + view.shift[1]);
      return Boolean(hit) && hit.depth > along(view.axes[2], p) + 0.03 * reach;
    });
  }

  function unit(v) {
    const size = Math.hypot(...v);
    return v.map((c) => c / size);
  }
  // Turns the surface by angles (radians): the front moves right and down.
  function turn(toRight, downwards) {
    if (data.flat) return;
    let [right, up, toward] = view.axes;
    const mix = (a, b, c, s) => a.map((_, k) => c * a[k] + s * b[k]);
    let c = Math.cos(toRight), s = Math.sin(toRight);
    [right, toward] = [mix(right, toward, c, s), mix(toward, right, c, -s)];
    c = Math.cos(downwards);
    s = Math.sin(downwards);
    [up, toward] = [mix(up, toward, c, -s), mix(toward, up, c, s)];
    view.axes = [unit(right), unit(up), unit(toward)];
    view.moved = true;
    redraw();
  }
  // Keeps the point at (x, y), in halves of the canvas, fixed.
  function zoomBy(factor, x, y) {
    const zoom = Math.min(60, Math.max(0.3, view.zoom * factor));
    const by = zoom / view.zoom;
    view.shift = [x + by * (view.shift[0] - x), y + by * (view.shift[1] - y)];
    view.zoom = zoom;
    view.moved = true;
    redraw();
  }

  // --- quantities ----------------------------------------------------------------
  let shown = null;
  function number(value) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) return value.toExponential(2).replace("-", "\u2212");
    return value.toPrecision(size >= 1000 ? 4 : 3).replace("-", "\u2212");
  }
  function show(index) {
    const quantity = data.quantities[index];
    legend.replaceChildren();
    if (!quantity) {  // a lattice alone
      shown = { unit: "", values: new Float32Array(0), range: [0, 1] };
      return redraw();
    }
    const map = quantity.labels ? labelColours(quantity.labels) : wallViewBytes(quantity.map);
    shown = { unit: quantity.unit, labels: quantity.labels,
      range: quantity.labels ? [0, 255] : [quantity.low, quantity.high],
      values: new Float32Array(wallViewBytes(quantity.values).buffer) };
    gl.bindBuffer(gl.ARRAY_BUFFER, valueBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, shown.values, gl.STATIC_DRAW);
    gl.bindTexture(gl.TEXTURE_2D, colours);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, 256, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, map);
    if (!quantity.labels) showColourBar(quantity, map);
    showKeys();
    redraw();
  }
  function part(kind, name, text) {
    const element = document.createElement(kind);
    element.className = name;
    element.textContent = text;
    legend.append(element);
    return element;
  }
  function labelColours(of) {
    const map = new Uint8Array(3 * 256);
    for (const [k, label] of of.entries())
      if (k < 256) map.set([1, 3, 5].map((c) => parseInt(label.colour.substr(c, 2), 16)), 3 * k);
    return map;
  }
  // Names and colours of labels, and of nodes while the lattice is shown; alike ones once.
  function showKeys() {
    for (const old of legend.querySelectorAll(".view-keys")) old.remove();
    const keys = part("div", "view-keys", "");
    const entries = new Map();
    for (const label of [...(shown.labels || []), ...(isOn("lattice") ? data.lattice.entries : [])])
      if (label.mark < 0 || label.count === undefined) entries.set(label.name, label.colour);
    if ((shown.labels || []).some((label) => label.mark >= 0))
      entries.set("opening", shown.labels.find((label) => label.mark >= 0).colour);
    for (const [name, colour] of [...entries].slice(0, 40)) {
      const key = keys.appendChild(document.createElement("span"));
      key.appendChild(document.createElement("i")).style.background = colour;
      key.append(name);
    }
  }
  function showColourBar(quantity, map) {
    const stops = [];
    for (let i = 0; i < 256; i += 15)
      stops.push(`rgb(${map[3 * i]},${map[3 * i + 1]},${map[3 * i + 2]})`);
    part("div", "view-ramp", "").style.background = `linear-gradient(to right, ${stops.join(",")})`;
    const ticks = part("div", "view-ticks", "");
    for (let i = 0; i < 5; ++i) {
      const tick = document.createElement("span");
      const beyond = i === 0 && quantity.openBelow ? "\u2264 "
        : i === 4 && quantity.openAbove ? "\u2265 " : "";
      tick.textContent = beyond + number(quantity.low + (quantity.high - quantity.low) * (i / 4));
      ticks.append(tick);
    }
    part("div", "view-caption", quantity.caption);
  }

  // Other values of the quantity shown: those of a moment (time_slider.js).
  root.addEventListener("view-values", (event) => {
    shown.values = event.detail;
    gl.bindBuffer(gl.ARRAY_BUFFER, valueBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, shown.values, gl.STATIC_DRAW);
    redraw();
  });

  // --- picking a value -----------------------------------------------------------------------
  // Foremost triangle at (x, y), in halves of the canvas, and its corner weights.
  function pick(x, y) {
    const [sx, sy] = scales();
    const place = new Float32Array(3 * count);
    for (let v = 0; v < count; ++v) {
      const p = position.subarray(3 * v, 3 * v + 3);
      const along = (axis) => axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
      place[3 * v] = along(view.axes[0]) * sx + view.shift[0] - x;
      place[3 * v + 1] = along(view.axes[1]) * sy + view.shift[1] - y;
      place[3 * v + 2] = along(view.axes[2]);
    }
    let found = null;
    for (let t = 0; t < corners.length; t += 3) {
      const [a, b, c] = [3 * corners[t], 3 * corners[t + 1], 3 * corners[t + 2]];
      const wa = place[b] * place[c + 1] - place[c] * place[b + 1];
      const wb = place[c] * place[a + 1] - place[a] * place[c + 1];
      const wc = place[a] * place[b + 1] - place[b] * place[a + 1];
      if (!((wa >= 0 && wb >= 0 && wc >= 0) || (wa <= 0 && wb <= 0 && wc <= 0))) continue;
      const sum = wa + wb + wc;
      if (sum === 0) continue;
      const depth = (wa * place[a + 2] + wb * place[b + 2] + wc * place[c + 2]) / sum;
      if (!found || depth > found.depth)
        found = { depth, corner: [a / 3, b / 3, c / 3], weight: [wa / sum, wb / sum, wc / sum] };
    }
    return found;
  }
  function read(x, y) {
    const hit = pick(x, y);
    if (!hit) {
      output.textContent = "";
      return;
    }
    const mean = (of) => hit.corner.reduce((sum, v, k) => sum + hit.weight[k] * of(v), 0);
    const where = [0, 1, 2].map((a) =>
      number((middle[a] + mean((v) => position[3 * v + a])) * data.lengthFactor));
    const value = shown.labels ? shown.labels[shown.values[hit.corner[0]]].name
      : `${number(mean((v) => shown.values[v]))} ${shown.unit}`.trim();
    output.textContent = `${value} at ${where.join(", ")} ${data.lengthUnit}`;
  }
  // A mark is chosen by its badge, or by a click on its label of the surface.
  function chooseMark(index) {
    marks.choose(index);
    output.textContent = [data.marks[index].number, data.marks[index].name, data.marks[index].note]
      .filter((text) => text).join(", ");
    root.dispatchEvent(new CustomEvent("view-mark", { detail: index }));
  }
  function clicked(x, y) {
    const hit = count > 0 ? pick(x, y) : null;
    const label = hit && shown.labels && shown.labels[shown.values[hit.corner[0]]];
    if (label && label.mark >= 0) chooseMark(label.mark);
  }
  for (const { badge } of marks.marks)
    badge.addEventListener("click", () => chooseMark(Number(badge.dataset.mark)));
  root.addEventListener("view-select", (event) => marks.choose(event.detail));

  // --- pointers ---------------------------------------------------------------------------------
  const pointers = new Map();  // pointer -> last position on the page
  function halves(event) {
    const box = canvas.getBoundingClientRect();
    return [(2 * (event.clientX - box.left)) / box.width - 1,
      1 - (2 * (event.clientY - box.top)) / box.height];
  }
  function spread() {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  }
  let moved = 0;  // since the pointer went down, pixels
  canvas.addEventListener("pointerdown", (event) => {
    moved = 0;
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return read(...halves(event));
    const before = pointers.size === 2 ? spread() : 0;
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
    if (pointers.size === 2) return zoomBy(spread() / before, ...halves(event));
    const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    if (event.shiftKey || data.flat) {
      view.shift[0] += (2 * dx) / canvas.clientWidth;
      view.shift[1] -= (2 * dy) / canvas.clientHeight;
      view.moved = true;
      redraw();
    } else {
      turn(dx * 0.008, dy * 0.008);
    }
  });
  canvas.addEventListener("click", (event) => { if (moved < 5) clicked(...halves(event)); });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY * 0.0015), ...halves(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => turn(-0.1, 0), ArrowRight: () => turn(0.1, 0),
      ArrowUp: () => turn(0, -0.1), ArrowDown: () => turn(0, 0.1),
      "+": () => zoomBy(1.2, 0, 0), "-": () => zoomBy(1 / 1.2, 0, 0),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  // --- controls ------------------------------------------------------------------------------
  const layer = root.querySelector("[data-layer]");
  function showLayer() {
    const [axis, slider, text] = [layer.querySelector("select"), layer.querySelector("input"), layer.querySelector("span")];
    const slices = data.lattice.slices.filter((slice) => slice.axis === Number(axis.value));
    slider.max = slices.length - 1;
    slider.style.display = slices.length > 1 ? "" : "none";
    const slice = slices[Math.min(Number(slider.value), slices.length - 1)];
    const cell = data.lattice.cell;
    text.textContent = `node ${slice.at} of ${data.lattice.nodes[slice.axis]}` +
      (cell > 1 ? `, ${cell} \u00d7 ${cell} nodes a cell` : "");
    layers.choose(slice);
    redraw();
  }
  function prepareLayers() {
    const axis = layer.querySelector("select"), slider = layer.querySelector("input");
    const axes = [...new Set(data.lattice.slices.map((slice) => slice.axis))];
    for (const a of axes) axis.add(new Option("xyz"[a], a));
    axis.value = axes[axes.length - 1];
    const middleOf = () => {
      const last = data.lattice.slices.filter((slice) => slice.axis === Number(axis.value)).length - 1;
      slider.max = last;
      slider.value = Math.round(last / 2);
    };
    middleOf();
    axis.addEventListener("change", () => { middleOf(); showLayer(); });
    slider.addEventListener("input", showLayer);
    box("lattice").checked = data.lattice.shown;
    layer.hidden = !data.lattice.shown || data.flat;
    if (data.flat) box("lattice").closest("label").hidden = true;
    box("lattice").addEventListener("change", () => {
      layer.hidden = !box("lattice").checked;
      if (box("lattice").checked && box("glass")) box("glass").checked = true;
      showKeys();
      redraw();
    });
    showLayer();
  }
  root.querySelector(".view-bar > button").addEventListener("click", () => { firstView(); redraw(); });
  choice.addEventListener("change", () => show(Number(choice.value)));
  if (box("glass")) {
    box("glass").checked = labels.some((label) => label.inside);
    box("glass").closest("label").hidden = count === 0;
    box("glass").addEventListener("change", redraw);
  }
  if (box("marks"))
    box("marks").addEventListener("change", () => { marks.show(box("marks").checked); redraw(); });
  new ResizeObserver(redraw).observe(canvas);
  if (layers) prepareLayers();
  firstView();
  show(0);
})();
