// SPDX-License-Identifier: GPL-3.0-or-later
// Base64 arrays, WebGL programs, and one layer of lattice nodes in the view: cells as a texture on a
// rectangle, tiles as lines.
"use strict";

function wallViewBytes(base64) {
  const text = atob(base64);
  const array = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) array[i] = text.charCodeAt(i);
  return array;
}

// A program, the places of its attributes and its uniforms.
function wallViewProgram(gl, vertexShader, fragmentShader) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return {
    use: () => gl.useProgram(program),
    uniform: (name) => gl.getUniformLocation(program, name),
    // Reads an attribute from a buffer of floats.
    bind(name, size, buffer) {
      const at = gl.getAttribLocation(program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
    },
    unbind(name) { gl.disableVertexAttribArray(gl.getAttribLocation(program, name)); },
  };
}

function wallViewBuffer(gl, array) {
  const buffer = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
  return buffer;
}

function wallViewTexture(gl, filter) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
    gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  for (const size of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, size, filter);
  return texture;
}

// middle: of the view, m. Returns the layers and how one is drawn.
function wallViewLattice(gl, lattice, middle) {
  const most = gl.getParameter(gl.MAX_TEXTURE_SIZE);
  const colours = lattice.entries.map((entry) =>
    [1, 3, 5].map((k) => parseInt(entry.colour.substr(k, 2), 16)));
  const cells = lattice.nodes.map((n) => Math.ceil(n / lattice.cell));
  const program = wallViewProgram(gl, `
    attribute vec3 position;
    attribute vec2 cell;
    uniform mat3 turn;
    uniform vec3 scale;
    uniform vec2 shift;
    varying vec2 at;
    void main() {
      vec3 seen = turn * position;
      at = cell;
      gl_Position = vec4(seen.xy * scale.xy + shift, -seen.z * scale.z, 1.0);
    }`, `
    precision highp float;
    uniform sampler2D cells;
    uniform vec2 size;     // of the texture, cells
    uniform float pixels;  // of one cell on the screen
    uniform float line;    // 1: lines
    varying vec2 at;
    void main() {
      if (line > 0.5) {
        gl_FragColor = vec4(0.11, 0.14, 0.17, 1.0);
        return;
      }
      vec4 colour = texture2D(cells, at / size);
      if (colour.a < 0.5) discard;
      vec2 edge = min(fract(at), 1.0 - fract(at)) * pixels;
      float grid = clamp(1.0 - min(edge.x, edge.y), 0.0, 1.0) * clamp((pixels - 3.0) / 5.0, 0.0, 0.35);
      gl_FragColor = vec4(colour.rgb * (1.0 - grid), 1.0);
    }`);
  const corners = gl.createBuffer(), places = gl.createBuffer(), lines = gl.createBuffer();
  const texture = wallViewTexture(gl, gl.NEAREST);
  let shown = null;

  // Position of lattice coordinates (nodes) in the view.
  function place(node) {
    return [0, 1, 2].map((c) => lattice.origin[c] - middle[c] + lattice.spacing *
      (node[0] * lattice.axes[0][c] + node[1] * lattice.axes[1][c] + node[2] * lattice.axes[2][c]));
  }
  function inLayer(slice, u, v) {
    const node = [0, 0, 0];
    const [a, b] = [0, 1, 2].filter((axis) => axis !== slice.axis);
    node[slice.axis] = slice.at;
    node[a] = u - 0.5;
    node[b] = v - 0.5;
    return place(node);
  }
  function paintCells(slice, width, height) {
    const blocks = new Uint16Array(wallViewBytes(slice.blocks).buffer);
    const values = wallViewBytes(slice.values);
    const pixels = new Uint8Array(4 * width * height);
    for (let b = 0; b < blocks.length / 2; ++b)
      for (let k = 0; k < 16; ++k) {
        const value = values[16 * b + k];
        const u = 4 * blocks[2 * b] + (k % 4), v = 4 * blocks[2 * b + 1] + (k >> 2);
        if (value === 0 || u >= width || v >= height) continue;
        pixels.set([...colours[value - 1], 255], 4 * (u + width * v));
      }
    return pixels;
  }
  function tileLines(slice, a, b) {
    const tiles = new Int32Array(wallViewBytes(slice.tiles).buffer);
    const [w, h] = [lattice.tileEdge[a], lattice.tileEdge[b]];
    const points = [];
    for (let t = 0; t < tiles.length; t += 2) {
      const [u, v] = [tiles[t], tiles[t + 1]];
      const square = [[u, v], [u + w, v], [u + w, v + h], [u, v + h]].map((p) => inLayer(slice, ...p));
      for (let k = 0; k < 4; ++k) points.push(...square[k], ...square[(k + 1) % 4]);
    }
    return new Float32Array(points);
  }
  // Makes a layer the one that is drawn.
  function choose(slice) {
    if (shown && shown.slice === slice) return;
    const [a, b] = [0, 1, 2].filter((axis) => axis !== slice.axis);
    const [width, height] = [cells[a], cells[b]];
    if (width > most || height > most) return;
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE,
      paintCells(slice, width, height));
    const ends = [[0, 0], [width, 0], [0, height], [width, height]];
    const points = ends.flatMap(([u, v]) => inLayer(slice, u * lattice.cell, v * lattice.cell));
    gl.bindBuffer(gl.ARRAY_BUFFER, corners);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(points), gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, places);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(ends.flat()), gl.STATIC_DRAW);
    const tiles = tileLines(slice, a, b);
    gl.bindBuffer(gl.ARRAY_BUFFER, lines);
    gl.bufferData(gl.ARRAY_BUFFER, tiles, gl.STATIC_DRAW);
    shown = { slice, size: [width, height], tiles: tiles.length / 3 };
  }
  // pixelsPerMetre: on the canvas, for lines between cells.
  function draw(turn, scale, shift, pixelsPerMetre) {
    if (!shown) return;
    program.use();
    gl.uniformMatrix3fv(program.uniform("turn"), false, turn);
    gl.uniform3f(program.uniform("scale"), ...scale);
    gl.uniform2f(program.uniform("shift"), ...shift);
    gl.uniform2f(program.uniform("size"), ...shown.size);
    gl.uniform1f(program.uniform("pixels"), pixelsPerMetre * lattice.spacing * lattice.cell);
    gl.uniform1f(program.uniform("line"), 0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    program.bind("position", 3, corners);
    program.bind("cell", 2, places);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    program.unbind("cell");
    if (shown.tiles > 0 && pixelsPerMetre * lattice.spacing > 0.7) {
      gl.uniform1f(program.uniform("line"), 1);
      program.bind("position", 3, lines);
      gl.drawArrays(gl.LINES, 0, shown.tiles);
    }
  }
  // Corners of the lattice's box.
  const box = [0, 1, 2, 3, 4, 5, 6, 7].map((c) =>
    place(lattice.nodes.map((n, a) => (c >> a & 1 ? n - 0.5 : -0.5))));
  return { choose, draw, box };
}
