// SPDX-License-Identifier: GPL-3.0-or-later
// Form that writes a case file: a condition for each opening, a fluid, a recipe. What is chosen stands
// behind "#" in the page's address, so that it can be kept as a bookmark.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("case-data").textContent);
  const form = document.getElementById("case");
  const rows = [...document.querySelectorAll("#openings tbody tr")];
  const view = document.getElementById("wall-view");
  const own = document.getElementById("own-fluid");
  const state = document.getElementById("case-state");

  // Fields of each kind: key, label, value to start from, what it must be. "rest" stands in the case as
  // it is.
  const profiles = ["parabolic", "developed", "plug"];
  const kinds = {
    "velocity": { title: "mean velocity", fields: [["mean", "mean", "0.1 m/s", "number"], ["profile", "profile", profiles]] },
    "velocity in time": { kind: "velocity", title: "velocity in time", rest: { periodic: "true" },
      fields: [["waveform", "CSV", "inlet.csv", "file"], ["profile", "profile", [...profiles, "womersley"]]] },
    "flow-rate": { title: "flow rate", fields: [["value", "inflow", "1 ml/s", "number"], ["profile", "profile", profiles]] },
    "pressure": { title: "pressure", fields: [["value", "gauge", "0 Pa", "number"]] },
    "pressure in time": { kind: "pressure", title: "pressure in time", rest: { periodic: "true" },
      fields: [["waveform", "CSV", "outlet.csv", "file"]] },
    "resistance": { title: "resistance", fields: [["resistance", "", "10 mmHg.s/ml", "number"]] },
    "windkessel": { title: "Windkessel", fields: [["resistance_proximal", "proximal", "1 mmHg.s/ml", "number"],
      ["resistance_distal", "distal", "10 mmHg.s/ml", "number"], ["compliance", "compliance", "0.1 ml/mmHg", "number"]] },
    "outflow-split": { title: "share of the inflow", fields: [["fraction", "share", "0.5", "number"]] },
    "wall": { title: "wall (closed)", fields: [] },
  };
  const isNumber = (text) => /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?(\s*[A-Za-z%\u00b5][^"\\]*)?\s*$/.test(text);
  const isBare = (text) => /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(text);
  const valid = { number: isNumber, file: (text) => text.trim() !== "" };

  // A string of TOML.
  function quoted(text) {
    return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g,
      (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  }
  // Text of a string of TOML as the recipes have them, or of another value.
  function plain(value) {
    return value.startsWith('"') ? JSON.parse(value) : value;
  }
  function element(kind, attributes, ...children) {
    const made = document.createElement(kind);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }
  function selectOf(attributes, entries) {
    const made = element("select", attributes);
    for (const [value, title] of entries) made.add(new Option(title, value));
    return made;
  }

  // --- conditions ------------------------------------------------------------------------------
  const chosen = rows.map(() => ({ kind: "pressure", values: {} }));
  function takeEntry(k, entry) {
    const inTime = entry.values.waveform !== undefined;
    chosen[k] = { kind: entry.kind + (inTime ? " in time" : ""), values: {} };
    for (const [key, value] of Object.entries(entry.values)) chosen[k].values[key] = plain(value);
  }
  function showFields(k) {
    const cell = rows[k].querySelector(".condition");
    const kind = selectOf({ "aria-label": "kind", "data-key": "kind" },
      Object.entries(kinds).map(([name, of]) => [name, of.title]));
    kind.value = chosen[k].kind;
    kind.addEventListener("change", () => {
      chosen[k] = { kind: kind.value, values: {} };
      showFields(k);
      write();
    });
    cell.replaceChildren(element("label", {}, kind));
    for (const [key, label, first, check] of kinds[chosen[k].kind].fields) {
      if (chosen[k].values[key] === undefined) chosen[k].values[key] = Array.isArray(first) ? first[0] : first;
      const field = Array.isArray(first)
        ? selectOf({ "data-key": key, "aria-label": label }, first.map((word) => [word, word]))
        : element("input", { size: 13, "data-key": key, "aria-label": label || key });
      field.value = chosen[k].values[key];
      field.addEventListener(Array.isArray(first) ? "change" : "input", () => {
        chosen[k].values[key] = field.value;
        if (!Array.isArray(first)) field.classList.toggle("bad", !valid[check](field.value));
        write();
      });
      cell.append(element("label", {}, label ? label + " " : "", field));
    }
    cell.append(element("small", {}));
  }
  // Reynolds number of an inlet of constant velocity or flow rate, and the other one of these.
  const speeds = { "m/s": 1, "cm/s": 0.01, "mm/s": 0.001 };
  const rates = { "m3/s": 1, "l/s": 1e-3, "l/min": 1e-3 / 60, "ml/s": 1e-6, "cm3/s": 1e-6, "cc/s": 1e-6,
    "ml/min": 1e-6 / 60, "mm3/s": 1e-9, "ul/s": 1e-9, "ul/min": 1e-9 / 60 };
  function numberIn(text, units, usual) {
    const [, digits, unit] = /^\s*(\S*?\d\.?)\s*([A-Za-z][A-Za-z0-9]*\/[a-z]+)?\s*$/.exec(text) || [];
    return Number(digits) * (units[(unit || usual).replace("L", "l")] || NaN);
  }
  function remarkOf(k, fluid) {
    const { kind, values } = chosen[k];
    if ((kind !== "velocity" && kind !== "flow-rate") || !fluid) return "";
    const { diameter, area } = data.openings[k];
    const speed = kind === "velocity" ? numberIn(values.mean, speeds, "m/s") : numberIn(values.value, rates, "m3/s") / area;
    if (!Number.isFinite(speed)) return "";
    const reynolds = Math.abs(speed) * diameter / fluid.viscosity;
    const other = kind === "flow-rate" ? `, mean ${speed.toPrecision(3)} m/s`
      : data.dimensions === 2 ? "" : `, ${(1e6 * speed * area).toPrecision(3)} ml/s`;
    return `Reynolds number ${reynolds.toPrecision(3)}${other}` + (reynolds > 4000 ? ": is the unit meant?" : "");
  }
  function conditionText(k, entry) {
    const { kind, values } = chosen[k];
    // The recipe's remark is of its own values.
    const isOwn = entry.kind === (kinds[kind].kind || kind) && Object.entries(entry.values).every(
      ([key, value]) => values[key] === undefined || values[key] === plain(value));
    const comment = (text) => text.split("\n").map((line) => "# " + line + "\n").join("");
    let text = "\n[[opening]]\n" + comment(entry.comment) + entry.key + "\n";
    text += `kind = "${kinds[kind].kind || kind}"\n`;
    for (const [key, , first, check] of kinds[kind].fields)
      text += `${key} = ${check === "number" && isBare(values[key]) ? values[key].trim() : quoted(values[key].trim())}\n`;
    for (const [key, value] of Object.entries(kinds[kind].rest || {})) text += `${key} = ${value}\n`;
    return text + (entry.remark && isOwn ? comment(entry.remark) : "");
  }

  // --- the case ----------------------------------------------------------------------------------
  const recipe = () => data.recipes.find((each) => each.name === form.recipe.value);
  function fluidOf() {
    return data.fluids.find((each) => each.name === form.fluid.value);
  }
  function fluidText() {
    const fluid = fluidOf();
    if (fluid) return `\n[fluid]\nfluid = "${fluid.name}"\n\n`;
    const [density, viscosity] = [form.density.value.trim(), form.viscosity.value.trim()];
    return `\n[fluid]\ndensity = ${quoted(density)}\nviscosity = ${quoted(viscosity)}\n\n`;
  }
  function faults() {
    const list = [];
    chosen.forEach(({ kind, values }, k) => {
      for (const [key, , first, check] of kinds[kind].fields)
        if (!Array.isArray(first) && !valid[check](values[key]))
          list.push(`opening ${rows[k].querySelector(".badge").textContent}: ${key} needs a number, with a unit`);
    });
    const drives = (kind) => kind !== "wall" && !kind.startsWith("velocity") && kind !== "flow-rate";
    if (chosen.length > 0 && !chosen.some(({ kind }) => drives(kind)) && chosen.some(({ kind }) => kind !== "wall"))
      list.push("one opening must have a pressure, resistance or Windkessel");
    if (!fluidOf() && ![form.density, form.viscosity].every((input) => isNumber(input.value)))
      list.push("density and viscosity need numbers with units");
    return list;
  }
  function save(link, text, type) {
    link.href = `data:${type};charset=utf-8,` + encodeURIComponent(text);
  }
  function write() {
    own.hidden = Boolean(fluidOf());
    const of = recipe();
    let text = of.head + fluidText() + of.solver;
    rows.forEach((row, k) => {
      text += conditionText(k, of.openings[k]);
      row.querySelector(".condition > small").textContent = remarkOf(k, fluidOf());
    });
    text += "\n" + of.tail;
    document.getElementById("case-text").textContent = text;
    const wrong = faults();
    state.textContent = wrong.join("; ");
    const link = document.getElementById("save-case"), wave = document.getElementById("save-waveform");
    link.classList.toggle("bad", wrong.length > 0);
    save(link, text, "application/toml");
    wave.hidden = of.waveform === "" || !chosen.some(({ values }) => values.waveform === "inlet.csv");
    save(wave, of.waveform, "text/csv");
    keep();
  }
  function takeRecipe() {
    recipe().openings.forEach((entry, k) => takeEntry(k, entry));
    rows.forEach((row, k) => showFields(k));
    form.fluid.value = recipe().fluid;
  }

  // --- what is chosen, behind "#" -------------------------------------------------------------------
  function keep() {
    const kept = new URLSearchParams({ recipe: form.recipe.value, fluid: form.fluid.value });
    if (!fluidOf()) for (const key of ["density", "viscosity"]) kept.set(key, form[key].value);
    chosen.forEach(({ kind, values }, k) => {
      kept.set(`${k + 1}.kind`, kind);
      for (const [key] of kinds[kind].fields) kept.set(`${k + 1}.${key}`, values[key]);
    });
    history.replaceState(null, "", "#" + kept);
  }
  function restore(kept) {
    if (data.recipes.some((each) => each.name === kept.get("recipe"))) form.recipe.value = kept.get("recipe");
    takeRecipe();
    for (const key of ["fluid", "density", "viscosity"]) if (kept.has(key)) form[key].value = kept.get(key);
    if (!form.fluid.value) form.fluid.value = recipe().fluid;
    rows.forEach((row, k) => {
      const kind = kept.get(`${k + 1}.kind`) || chosen[k].kind;
      if (!Object.hasOwn(kinds, kind)) return;
      if (kind !== chosen[k].kind) chosen[k] = { kind, values: {} };
      for (const [key, , first] of kinds[kind].fields) {
        const value = kept.get(`${k + 1}.${key}`);
        if (value !== null && (!Array.isArray(first) || first.includes(value))) chosen[k].values[key] = value;
      }
      showFields(k);
    });
  }

  // --- selection -------------------------------------------------------------------------------
  const marked = [...document.querySelectorAll("tr[data-mark]")];
  function select(index, scroll) {
    for (const row of marked) row.classList.toggle("chosen", Number(row.dataset.mark) === index);
    const row = document.querySelector("tr.chosen");
    if (row && scroll) {
      row.scrollIntoView({ block: "nearest" });
      const kind = row.querySelector("select");
      if (kind) kind.focus({ preventScroll: true });
    }
  }
  for (const row of marked) {
    const show = () => {
      select(Number(row.dataset.mark), false);
      if (view) view.dispatchEvent(new CustomEvent("view-select", { detail: Number(row.dataset.mark) }));
    };
    row.addEventListener("click", show);
    row.addEventListener("focusin", show);
  }
  if (view) view.addEventListener("view-mark", (event) => select(event.detail, true));

  for (const each of data.recipes) form.recipe.add(new Option(each.title, each.name));
  for (const each of data.fluids) form.fluid.add(new Option(each.name, each.name));
  form.fluid.add(new Option("own values", "own"));
  form.recipe.value = data.first;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.recipe.addEventListener("change", () => { takeRecipe(); write(); });
  form.fluid.addEventListener("change", write);
  for (const input of [form.density, form.viscosity]) input.addEventListener("input", write);
  restore(new URLSearchParams(location.hash.slice(1)));
  write();
})();
