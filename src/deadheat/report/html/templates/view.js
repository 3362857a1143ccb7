"use strict";
// Makes the page richer, never readable: sort, filter, hide, another reference, linear or logarithmic.
// The view is kept in the URL's fragment (#view:key=value;...), so that a link shows what its sender saw.
(() => {
  const $ = (selector, within = document) => [...within.querySelectorAll(selector)];
  const quantiles = document.body.dataset.t.split(" ").map(Number);
  const ANY = { language: "", class: "", variants: "", scale: "" };
  let view = read();

  function read() {
    const found = { ...ANY, hide: new Set(), ref: {}, sort: {} };
    if (!location.hash.startsWith("#view:")) return found;
    for (const part of location.hash.slice(6).split(";")) {
      const at = part.indexOf("=");
      if (at < 0) continue;
      let value;
      try { value = decodeURIComponent(part.slice(at + 1)); } catch { continue; }
      const [name, race] = part.slice(0, at).split(".");
      if (name in ANY) found[name] = value;
      else if (name === "hide") for (const id of value.split(",")) found.hide.add(id);
      else if (name === "ref" && race) found.ref[race] = value;
      else if (name === "sort" && race) found.sort[race] = value;
    }
    return found;
  }

  function write() {
    const parts = Object.keys(ANY).filter((k) => view[k]).map((k) => `${k}=${encodeURIComponent(view[k])}`);
    if (view.hide.size) parts.push(`hide=${[...view.hide].join(",")}`);
    for (const kind of ["ref", "sort"])
      for (const [race, value] of Object.entries(view[kind])) parts.push(`${kind}.${race}=${encodeURIComponent(value)}`);
    const hash = parts.length ? `#view:${parts.join(";")}` : "";
    if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname + location.search);
  }

  const figure = (v) => {
    if (!Number.isFinite(v)) return "–";
    if (v >= 0.1 && v < 10) return v.toFixed(2);
    const three = Number(v.toPrecision(3));
    return three >= 100 ? three.toLocaleString("en-US", { maximumFractionDigits: 0 }) : String(three);
  };
  const rowsOf = (race) => $("table.forest tbody tr[data-k]", race);

  // --- what is shown -------------------------------------------------------------------------------------
  function filter() {
    let shown = 0, all = 0;
    for (const race of $("section.race")) {
      for (const row of rowsOf(race)) {
        const id = `${race.id}.${row.dataset.k}`;
        const hidden = view.hide.has(id);
        const out = (view.language && row.dataset.language !== view.language) ||
          (view.class && row.dataset.class !== view.class) || (view.variants && "variant" in row.dataset);
        const off = hidden || out;
        all += 1;
        shown += off ? 0 : 1;
        for (const part of $(`[data-k="${row.dataset.k}"]`, race)) {
          // A hidden row stays in the legend, where it is brought back.
          if (part.closest(".legend")) {
            part.classList.toggle("off", Boolean(out));
            part.classList.toggle("out", hidden);
            part.querySelector("button")?.setAttribute("aria-pressed", String(!hidden));
          } else part.classList.toggle("off", Boolean(off));
        }
      }
    }
    const output = document.getElementById("shown");
    output.textContent = shown < all ? `${shown} of ${all} rows` : "";
    document.getElementById("reset").hidden = !location.hash.startsWith("#view:");
  }

  // --- another reference: described from the blocks' own values, as the verdicts are not ------------------
  function against(row, reference, better) {
    const own = (row.dataset.blocks ?? "").split(" ").map(Number);
    const other = (reference.dataset.blocks ?? "").split(" ").map(Number);
    if (!row.dataset.blocks || own.length !== other.length) return null;
    const logs = own.map((v, i) => Math.log(better === "more" ? v / other[i] : other[i] / v));
    const mean = logs.reduce((a, b) => a + b, 0) / logs.length;
    const df = logs.length - 1;
    if (df < 1) return { ratio: Math.exp(mean) };
    const sd = Math.sqrt(logs.reduce((a, b) => a + (b - mean) ** 2, 0) / df);
    const half = quantiles[Math.min(df, quantiles.length) - 1] * sd / Math.sqrt(logs.length);
    return { ratio: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
  }

  // A pair that was judged has that interval whichever of the two is the reference, and no other.
  function judged(row, reference) {
    const one = (row.dataset.judged ?? "").split(";").map((pair) => pair.split("|")).find(([k]) => k === reference.dataset.k);
    if (!one) return null;
    const [, ratio, low, high, word] = one;
    return { ratio: Number(ratio), low: low && Number(low), high: high && Number(high), word };
  }

  function told(row) {
    const d = row.dataset;
    return d.ratio ? { ratio: Number(d.ratio), low: d.low && Number(d.low), high: d.high && Number(d.high) } : null;
  }

  function ticks(low, high, log) {
    if (log && high / low > 8) {
      for (const factors of [[1, 2, 5], [1, 3], [1]]) {
        const found = [];
        for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
          for (const m of factors) { const v = Number((m * 10 ** e).toPrecision(6)); if (v >= low && v <= high) found.push(v); }
        if (found.length <= 8) return found;
      }
    }
    const power = 10 ** Math.floor(Math.log10((high - low) / 7));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => (high - low) / s <= 7);
    const found = [];
    for (let i = Math.ceil(low / step); i * step <= high; i++) found.push(Number((i * step).toPrecision(6)));
    return found;
  }

  const svg = (name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };

  function compare(race) {
    const table = race.querySelector("table.forest");
    if (!table || !table.querySelector(".axis")) return;
    const rows = rowsOf(race);
    const chosen = rows.find((row) => row.dataset.k === view.ref[race.id] && row.dataset.value);
    const original = rows.find((row) => row.classList.contains("reference"));
    const reference = chosen ?? original;
    const same = reference === original;
    const margin = Number(race.dataset.margin);
    const log = view.scale !== "linear";
    const found = new Map(rows.map((row) =>
      [row, row === reference ? null : same ? told(row) : judged(row, reference) ?? against(row, reference, race.dataset.better)]));
    const seen = rows.filter((row) => found.get(row) && row.dataset.class !== "ceiling" && !row.classList.contains("off")).map((row) => found.get(row));
    let low = Math.min(1 / (1 + 2 * margin), ...seen.flatMap((f) => [f.ratio, f.low ?? f.ratio]));
    let high = Math.max(1 + 2 * margin, ...seen.flatMap((f) => [f.ratio, f.high ?? f.ratio]));
    low = Math.max(low, Math.min(1, ...seen.map((f) => f.ratio)) / 4);
    high = Math.min(high, Math.max(1, ...seen.map((f) => f.ratio)) * 4);
    const room = (high / low) ** 0.04;
    low = log ? low / room : 0;
    high *= room;
    const at = (v) => {
      const x = log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low);
      return `${(100 * Math.min(1, Math.max(0, x))).toFixed(2)}%`;
    };
    const axis = table.querySelector(".axis");
    axis.replaceChildren(...ticks(low, high, log).map((v) => svg("text", { x: at(v), y: "1em" }, String(v))));
    for (const name of $(".ref-name", table)) name.textContent = reference.dataset.name;
    for (const row of [...rows, ...$("tr.null", table)]) {
      const bar = row.querySelector(".bar");
      const is = row.classList.contains("null") ? nullPair(row) : found.get(row);
      if (bar) draw(bar, row, is, row === reference);
      if (row.classList.contains("null")) { row.classList.toggle("off", !same); continue; }
      if (!bar) continue;
      row.querySelector(".ratio").textContent = is ? figure(is.ratio) : "";
      row.querySelector(".ci-text").textContent = is && is.low ? `${figure(is.low)} to ${figure(is.high)}` : is ? "no interval" : "";
      const word = row.querySelector(".c-word");
      word.kept ??= [...word.childNodes];
      if (same) word.replaceChildren(...word.kept);
      else word.replaceChildren(Object.assign(document.createElement("span"), { className: "quiet", textContent: row === reference ? "chosen" : is?.word || "not judged" }));
    }

    function nullPair(row) {
      const [ratio, rest] = [row.querySelector(".ratio").textContent, row.querySelector(".ci-text").textContent];
      const ends = rest.split(" to ").map(Number);
      return { ratio: Number(ratio), low: ends[0] || undefined, high: ends[1] };
    }

    function draw(bar, row, is, isReference) {
      const tint = (row.querySelector(".badge")?.className.match(/t\d/) ?? [""])[0];
      const parts = [
        svg("rect", { class: "band", x: at(1 / (1 + margin)), width: `${parseFloat(at(1 + margin)) - parseFloat(at(1 / (1 + margin)))}%`, y: 0, height: "100%" }),
        svg("line", { class: "one", x1: at(1), x2: at(1), y1: 0, y2: "100%" }),
      ];
      if (is) {
        if (is.low) parts.push(svg("line", { class: `ci ${tint}`, x1: at(is.low), x2: at(is.high), y1: "50%", y2: "50%" }));
        parts.push(svg("circle", { class: `dot ${tint || "hollow"}`, cx: at(is.ratio), cy: "50%", r: 5 }));
        if (is.ratio < low || is.ratio > high)
          parts.push(svg("text", { class: "beyond", x: is.ratio < low ? 0 : "100%", y: "50%", dy: "-.5em" }, is.ratio < low ? "‹" : "›"));
      } else if (isReference) parts.push(svg("circle", { class: "dot ref", cx: at(1), cy: "50%", r: 4 }));
      bar.replaceChildren(...parts);
    }
  }

  // --- order -----------------------------------------------------------------------------------------------
  function sort(race) {
    $("table", race).forEach((table, number) => {
      const heads = $("th[data-sort]", table);
      if (!heads.length) return;
      const [which, by, way] = (view.sort[race.id] ?? "").split(":");
      const active = Number(which) === number ? heads.find((h) => h.dataset.sort === by) : undefined;
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      const body = table.tBodies[0];
      const rows = $("tr[data-k]", body);
      const key = (row) => {
        if (!active) return Number(row.dataset.k);
        if (by === "name") return row.dataset.name.toLowerCase();
        if (by === "ratio") return row.querySelector(".ratio")?.textContent ? Number(row.querySelector(".ratio").textContent.replaceAll(",", "")) : row.classList.contains("reference") ? 1 : NaN;
        const text = by === "place" ? row.dataset.place : by === "value" ? row.dataset.value : row.cells[Number(by) + 1].dataset.v;
        return text === undefined || text === "" || text === "None" ? NaN : Number(text);
      };
      const down = way === "down";
      rows.sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
        return (x < y ? -1 : x > y ? 1 : 0) * (active && down ? -1 : 1);
      });
      if (active) active.setAttribute("aria-sort", down ? "descending" : "ascending");
      const last = body.querySelector("tr.null");
      for (const row of rows) body.insertBefore(row, last);
    });
  }

  function apply() {
    document.documentElement.classList.toggle("linear", view.scale === "linear");
    for (const name of Object.keys(ANY)) {
      const select = document.querySelector(`.controls [name="${name}"]`);
      if (select) select.value = view[name];
    }
    write();
    filter();
    for (const race of $("section.race")) {
      const select = race.querySelector('[name="reference"]');
      const original = race.querySelector("tr.reference");
      if (select) select.value = view.ref[race.id] ?? original?.dataset.k ?? "";
      compare(race);
      sort(race);
    }
  }

  // --- what is clicked -------------------------------------------------------------------------------------
  function equip() {
    const controls = document.getElementById("controls");
    controls.hidden = false;
    controls.addEventListener("submit", (event) => event.preventDefault());
    controls.addEventListener("change", (event) => { view[event.target.name] = event.target.value; apply(); });
    document.getElementById("reset").addEventListener("click", () => {
      view = { ...ANY, hide: new Set(), ref: {}, sort: {} };
      apply();
    });
    for (const race of $("section.race")) {
      const choose = race.querySelector(".choose");
      if (choose) {
        choose.hidden = false;
        choose.addEventListener("change", (event) => {
          const original = race.querySelector("tr.reference");
          if (event.target.value === original?.dataset.k) delete view.ref[race.id];
          else view.ref[race.id] = event.target.value;
          apply();
        });
      }
      $("table", race).forEach((table, number) => {
        for (const head of $("th[data-sort]", table)) {
          const button = document.createElement("button");
          button.type = "button";
          button.append(...head.childNodes);
          head.append(button);
          button.addEventListener("click", () => {
            // Figures first from the greatest, names and places from the first; a third click undoes.
            const by = head.dataset.sort;
            const first = by === "name" || by === "place" ? "up" : "down";
            const second = first === "up" ? "down" : "up";
            const now = view.sort[race.id];
            if (now === `${number}:${by}:${first}`) view.sort[race.id] = `${number}:${by}:${second}`;
            else if (now === `${number}:${by}:${second}`) delete view.sort[race.id];
            else view.sort[race.id] = `${number}:${by}:${first}`;
            apply();
          });
        }
      });
      for (const item of $(".legend li", race)) {
        const button = document.createElement("button");
        button.type = "button";
        button.title = "hide or show this row";
        button.setAttribute("aria-pressed", "true");
        button.append(...item.childNodes);
        item.append(button);
        button.addEventListener("click", () => {
          const id = `${race.id}.${item.dataset.k}`;
          if (!view.hide.delete(id)) view.hide.add(id);
          apply();
        });
      }
    }
    const command = document.querySelector(".command");
    if (command && navigator.clipboard) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy" });
      button.addEventListener("click", () => navigator.clipboard.writeText(command.innerText).then(() => { button.textContent = "Copied"; }));
      command.after(button);
    }
    apply();
  }

  addEventListener("hashchange", () => { if (location.hash.startsWith("#view:")) { view = read(); apply(); } });
  addEventListener("beforeprint", () => { for (const fold of $("details.gates")) fold.open = true; });
  // For a page that is still growing: the new body has to be equipped as the first was.
  globalThis.deadheatEquip = equip;
  equip();
})();
