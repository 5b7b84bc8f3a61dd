// SPDX-License-Identifier: GPL-3.0-or-later
// Marks over the view: rims, arrows and numbered badges of openings and other places, and the world's
// axes, as SVG and buttons that follow the camera.
function wallViewMarks(stage, data, middle, reach) {
  const svg = stage.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
  svg.setAttribute("class", "view-marks");
  function shape(kind, attributes) {
    const element = svg.appendChild(document.createElementNS(svg.namespaceURI, kind));
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }
  const line = (colour, width) => shape("path", {
    fill: "none", stroke: colour, "stroke-width": width, "stroke-linecap": "round", "stroke-linejoin": "round" });
  const area = (colour) => shape("path", { fill: colour, stroke: "#fff", "stroke-width": 1 });
  const text = (colour) => shape("text", { fill: colour, "font-size": 13, "font-weight": 600,
    "text-anchor": "middle", "dominant-baseline": "central", "paint-order": "stroke", stroke: "#fff", "stroke-width": 3 });

  function cross(a, b) {
    return [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
  }
  function unit(v) {
    const size = Math.hypot(...v) || 1;
    return v.map((c) => c / size);
  }
  // Points of a circle around the normal, and the ends of the arrow.
  function geometryOf(mark) {
    const centre = mark.centre.map((c, k) => c - middle[k]);
    const n = mark.normal;
    const least = n.map(Math.abs).indexOf(Math.min(...n.map(Math.abs)));
    const u = unit(cross(n, [0, 1, 2].map((k) => (k === least ? 1 : 0))));
    const v = cross(n, u);
    const rim = [];
    for (let i = 0; i < 40; ++i) {
      const [c, s] = [Math.cos(i * Math.PI / 20), Math.sin(i * Math.PI / 20)];
      rim.push(centre.map((p, k) => p + mark.radius * (c * u[k] + s * v[k])));
    }
    const along = (t) => centre.map((p, k) => p + t * n[k]);
    const size = Math.max(0.1 * reach, Math.min(1.4 * mark.radius, 0.25 * reach));
    return { centre, rim, near: along(0.04 * reach), far: along(0.04 * reach + size) };
  }
  const marks = data.marks.map((mark, index) => {
    const halo = line("#fff", 4.5), rim = line(mark.colour, 2.2);
    if (mark.kind === "throat") rim.setAttribute("stroke-dasharray", "5 4");
    const shaft = line(mark.colour, 2.6), head = area(mark.colour), leader = line(mark.colour, 1);
    const badge = stage.appendChild(document.createElement("button"));
    badge.type = "button";
    badge.dataset.mark = index;
    const number = badge.appendChild(document.createElement("b"));
    number.textContent = mark.number;
    number.style.background = mark.colour;
    if (mark.name) badge.appendChild(document.createElement("span")).textContent = mark.name;
    badge.title = mark.note;
    return { mark, ...geometryOf(mark), parts: [halo, rim, shaft, head, leader], badge,
      halo, rimLine: rim, shaft, head, leader };
  });

  const axes = [0, 1, 2].map((a) => ({ a, line: line("#1d232b", 1.8), head: area("#1d232b"), text: text("#1d232b") }));
  const letters = { LPS: ["L", "P", "S"], RAS: ["R", "A", "S"] }[data.space];
  for (const axis of axes) axis.text.textContent = "xyz"[axis.a] + (letters ? ` ${letters[axis.a]}` : "");

  const path = (points, closed) =>
    "M" + points.map((p) => `${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join("L") + (closed ? "Z" : "");
  function arrow(shaft, head, from, to, size) {
    const d = [to[0] - from[0], to[1] - from[1]], far = Math.hypot(...d);
    if (far < 3) {
      shaft.setAttribute("d", "");
      head.setAttribute("d", "");
      return;
    }
    const h = Math.min(size, 0.7 * far), [x, y] = [d[0] / far, d[1] / far];
    const base = [to[0] - h * x, to[1] - h * y];
    shaft.setAttribute("d", path([from, base]));
    head.setAttribute("d", path([to, [base[0] - 0.5 * h * y, base[1] + 0.5 * h * x],
      [base[0] + 0.5 * h * y, base[1] - 0.5 * h * x]], true));
  }
  function placeTriad(view, height) {
    const origin = [44, height - 44];
    const seen = axes.map(({ a }) => view.axes.map((axis) => axis[a]));
    for (const axis of axes) {
      const [x, y, z] = seen[axis.a];
      const tip = [origin[0] + 28 * x, origin[1] - 28 * y];
      arrow(axis.line, axis.head, origin, tip, 7);
      const far = Math.hypot(x, y) || 1;
      const reachOf = far > 0.3 ? 28 * far + 11 : 16;
      axis.text.setAttribute("x", origin[0] + reachOf * x / far);
      axis.text.setAttribute("y", origin[1] - reachOf * y / far);
      for (const part of [axis.line, axis.head, axis.text]) part.style.opacity = z < -0.5 ? 0.5 : 1;
    }
  }
  // Moves badges apart that would cover each other, within the stage.
  function spread(places, height) {
    const within = (y) => Math.min(Math.max(y, 14), height - 14);
    for (const p of places) p.at[1] = within(p.at[1]);
    for (let round = 0; round < 40; ++round)
      for (let i = 0; i < places.length; ++i)
        for (let j = 0; j < i; ++j) {
          const [p, q] = [places[i], places[j]];
          const x = 0.5 * (p.width + q.width) + 4 - Math.abs(p.at[0] - q.at[0]);
          const y = 28 - Math.abs(p.at[1] - q.at[1]);
          if (x <= 0 || y <= 0) continue;
          const push = (p.at[1] < q.at[1] ? -1 : 1) * y / 2;
          p.at[1] = within(p.at[1] + push);
          q.at[1] = within(q.at[1] - push);
        }
  }
  let shown = true;
  // project: a position in the view to pixels of the stage.
  function place(view, project, width, height) {
    placeTriad(view, height);
    const places = [];
    for (const each of marks) {
      for (const part of each.parts) part.style.display = shown ? "" : "none";
      each.badge.style.display = shown ? "" : "none";
      if (!shown) continue;
      const rim = each.mark.radius > 0 ? path(each.rim.map(project), true) : "";
      each.halo.setAttribute("d", rim);
      each.rimLine.setAttribute("d", rim);
      let tip = project(each.centre);
      if (each.mark.kind !== "throat") {
        const [near, far] = [project(each.near), project(each.far)];
        arrow(each.shaft, each.head, ...(each.mark.inwards ? [far, near] : [near, far]), 12);
        tip = far;
      }
      const [cx, cy] = project(each.centre);
      let d = [tip[0] - cx, tip[1] - cy];
      const far = Math.hypot(...d);
      if (far < 8) d = [0.6, -0.8];
      else d = d.map((c) => c / far);
      const w = each.badge.offsetWidth || 30;
      const at = [tip[0] + (16 + w / 2 * Math.abs(d[0])) * d[0], tip[1] + 21 * d[1]];
      const within = Math.min(Math.max(at[0], w / 2 + 2), width - w / 2 - 2);
      if (Math.abs(within - at[0]) > 6) at[1] -= 22;  // above its own arrow
      places.push({ each, tip, width: w, at: [within, at[1]] });
    }
    spread(places, height);
    for (const { each, tip, width: w, at } of places) {
      each.badge.style.transform = `translate(${(at[0] - w / 2).toFixed(1)}px, ${(at[1] - 13).toFixed(1)}px)`;
      each.leader.setAttribute("d",
        Math.hypot(at[0] - tip[0], at[1] - tip[1]) > 30 || each.mark.kind === "throat" ? path([tip, at]) : "");
    }
  }
  // Pixels on each side of the surface, across and upwards, for arrows and badges.
  function room() {
    if (marks.length === 0) return [0, 0];
    return [26 + Math.max(...marks.map(({ badge }) => badge.offsetWidth)), 80];
  }
  // Fades the marks whose centre is hidden: isHidden(position).
  function fade(isHidden) {
    for (const each of marks) {
      const hidden = isHidden(each.centre);
      for (const part of each.parts) part.classList.toggle("behind", hidden);
      each.badge.classList.toggle("behind", hidden);
    }
  }
  function choose(index) {
    for (const [k, each] of marks.entries()) each.badge.classList.toggle("chosen", k === index);
  }
  return { place, room, fade, choose, show(on) { shown = on; }, marks };
}
