// SPDX-License-Identifier: GPL-3.0-or-later
// Interactive wall: turn, zoom, move, read a value. WebGL 1 without libraries; embedded into
// report.html, so it fetches nothing and must not contain the text that ends a script.
(function () {
  "use strict";

  function wallViewBytes(base64) {
    const text = atob(base64);
    const array = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) array[i] = text.charCodeAt(i);
    return array;
  }

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
    const corners = new Uint16Array(wallViewBytes(data.corners).buffer);
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
    return { position, corners, count, middle, reach, normals: wallViewNormals(position, corners) };
  }
  const root = document.getElementById("wall-view");
  const canvas = root.querySelector("canvas");
  const output = root.querySelector("output");
  const legend = root.querySelector(".view-legend");
  const choice = root.querySelector("select");
  const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  // Keeps the picture in the canvas, so that it can be saved.
  const gl = canvas.getContext("webgl", { antialias: true, preserveDrawingBuffer: true });
  if (!gl) {
    for (const part of root.children) part.hidden = !part.matches(".view-missing");
    return;
  }

  const { position, corners, count, middle, reach, normals } = wallViewSurface(data);

  // --- WebGL ---------------------------------------------------------------------------------
  const vertexShader = `
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
    }`;
  // Lights of the pictures (rasterise.cpp), in linear light.
  const fragmentShader = `
    precision mediump float;
    uniform sampler2D colours;
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
      if (!gl_FrontFacing) colour *= 0.45;
      gl_FragColor = vec4(pow(min(colour, 1.0), vec3(1.0 / 2.2)), 1.0);
    }`;
  function compiled(kind, source) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    return shader;
  }
  const program = gl.createProgram();
  gl.attachShader(program, compiled(gl.VERTEX_SHADER, vertexShader));
  gl.attachShader(program, compiled(gl.FRAGMENT_SHADER, fragmentShader));
  gl.linkProgram(program);
  gl.useProgram(program);
  function attribute(name, size, array) {
    const buffer = gl.createBuffer();
    const at = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
    return buffer;
  }
  attribute("position", 3, position);
  attribute("normal", 3, normals);
  const valueBuffer = attribute("value", 1, new Float32Array(count));
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STATIC_DRAW);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
    gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
  gl.enable(gl.DEPTH_TEST);
  const uniform = (name) => gl.getUniformLocation(program, name);

  // --- the view ------------------------------------------------------------------------------
  const view = {};
  // View of the pictures, fitted to the canvas.
  function firstView() {
    view.axes = [data.right, data.up, data.toward].map((axis) => axis.slice());
    view.zoom = 1;
    resize();
    const scale = scales();
    const low = [0, 0], high = [0, 0];  // in halves of the canvas
    for (let v = 0; v < count; ++v)
      for (let k = 0; k < 2; ++k) {
        const [x, y, z] = view.axes[k];
        const at = scale[k] *
          (x * position[3 * v] + y * position[3 * v + 1] + z * position[3 * v + 2]);
        low[k] = Math.min(low[k], at);
        high[k] = Math.max(high[k], at);
      }
    view.zoom = 1.86 / Math.max(high[0] - low[0], high[1] - low[1], 1e-6);
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
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
  }
  function draw() {
    asked = false;
    resize();
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const [x, y, z] = view.axes;
    gl.uniformMatrix3fv(uniform("turn"), false,
      [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]);
    gl.uniform3f(uniform("scale"), ...scales(), 0.99 / reach);
    gl.uniform2f(uniform("shift"), ...view.shift);
    gl.drawElements(gl.TRIANGLES, corners.length, gl.UNSIGNED_SHORT, 0);
  }

  function unit(v) {
    const size = Math.hypot(...v);
    return v.map((c) => c / size);
  }
  // Turns the surface by angles (radians): the front moves right and down.
  function turn(toRight, downwards) {
    let [right, up, toward] = view.axes;
    const mix = (a, b, c, s) => a.map((_, k) => c * a[k] + s * b[k]);
    let c = Math.cos(toRight), s = Math.sin(toRight);
    [right, toward] = [mix(right, toward, c, s), mix(toward, right, c, -s)];
    c = Math.cos(downwards);
    s = Math.sin(downwards);
    [up, toward] = [mix(up, toward, c, -s), mix(toward, up, c, s)];
    view.axes = [unit(right), unit(up), unit(toward)];
    redraw();
  }
  // Keeps the point at (x, y), in halves of the canvas, fixed.
  function zoomBy(factor, x, y) {
    const zoom = Math.min(60, Math.max(0.3, view.zoom * factor));
    const by = zoom / view.zoom;
    view.shift = [x + by * (view.shift[0] - x), y + by * (view.shift[1] - y)];
    view.zoom = zoom;
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
    const map = wallViewBytes(quantity.map);
    shown = { unit: quantity.unit, values: new Float32Array(wallViewBytes(quantity.values).buffer) };
    gl.bindBuffer(gl.ARRAY_BUFFER, valueBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, shown.values, gl.STATIC_DRAW);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, 256, 1, 0, gl.RGB, gl.UNSIGNED_BYTE, map);
    gl.uniform2f(uniform("range"), quantity.low, quantity.high);
    const stops = [];
    for (let i = 0; i < 256; i += 15)
      stops.push(`rgb(${map[3 * i]},${map[3 * i + 1]},${map[3 * i + 2]})`);
    legend.replaceChildren();
    const part = (kind, name, text) => {
      const element = document.createElement(kind);
      element.className = name;
      element.textContent = text;
      legend.append(element);
      return element;
    };
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
    redraw();
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
    output.textContent = `${number(mean((v) => shown.values[v]))} ${shown.unit}`.trim() +
      ` at ${where.join(", ")} ${data.lengthUnit}`;
  }

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
  canvas.addEventListener("pointerdown", (event) => {
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
    if (event.shiftKey) {
      view.shift[0] += (2 * dx) / canvas.clientWidth;
      view.shift[1] -= (2 * dy) / canvas.clientHeight;
      redraw();
    } else {
      turn(dx * 0.008, dy * 0.008);
    }
  });
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
  root.querySelector("button").addEventListener("click", () => { firstView(); redraw(); });
  choice.addEventListener("change", () => show(Number(choice.value)));
  new ResizeObserver(redraw).observe(canvas);
  firstView();
  show(0);
})();
