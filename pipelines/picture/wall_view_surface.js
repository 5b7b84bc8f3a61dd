// SPDX-License-Identifier: GPL-3.0-or-later
// The surface as report.html embeds it, made into what WebGL takes; wall_view.js follows it in the same
// script.
"use strict";

function wallViewBytes(base64) {
  const text = atob(base64);
  const array = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) array[i] = text.charCodeAt(i);
  return array;
}

// Area-weighted over the triangles around each vertex.
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

// Positions in metres from the middle of their box, and how far they reach from it.
function wallViewSurface(data) {
  const places = new Uint16Array(wallViewBytes(data.positions).buffer);
  const corners = new Uint16Array(wallViewBytes(data.corners).buffer);
  const count = places.length / 3;
  const middle = [0, 1, 2].map((a) => (data.low[a] + data.high[a]) / 2);
  const position = new Float32Array(3 * count);
  let reach = 0;
  for (let v = 0; v < count; ++v) {
    let square = 0;
    for (let a = 0; a < 3; ++a) {
      const p = data.low[a] + (places[3 * v + a] / 65535) * (data.high[a] - data.low[a]);
      position[3 * v + a] = p - middle[a];
      square += (p - middle[a]) * (p - middle[a]);
    }
    reach = Math.max(reach, Math.sqrt(square));
  }
  return { position, corners, count, middle, reach, normals: wallViewNormals(position, corners) };
}
