"use strict";
// A page that grows: told by events, fetched whole, put in place of what was there. The view stays as it is.
(() => {
  const link = (text) => { const at = document.getElementById("live-link"); if (at) at.textContent = text; };
  const AGAIN_MS = 1000;
  let shown = -1, fetching = false, last = null;

  async function refresh(told) {
    // A tab that nobody looks at waits: drawing would take CPU from a measurement for nothing. The report is
    // fetched in any case: nothing is measured any more, and nobody will be there to give it later.
    if (fetching || told.version === shown || (document.hidden && !told.ended)) return;
    fetching = true;
    try {
      // Which version is asked for tells the server who has the report, and who only a page before it.
      const answer = await fetch(`${location.pathname}?version=${told.version}`, { cache: "no-store" });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      // What was unfolded stays so; the heading of a whole section's fold may have changed meanwhile.
      const name = (fold) => `${fold.closest("section")?.id} ${fold.matches(".fold") ? fold.className : fold.querySelector("summary").textContent}`;
      const open = new Set([...document.querySelectorAll("details[open]")].map(name));
      const log = document.querySelector("details:has(> .said)");
      const at = scrollY;
      document.getElementById("main").replaceWith(document.adoptNode(fresh.getElementById("main")));
      document.title = fresh.title;
      for (const fold of document.querySelectorAll("details")) if (open.has(name(fold))) fold.open = true;
      if (log && !log.open) document.querySelector("details:has(> .said)")?.removeAttribute("open");
      const said = document.querySelector(".said");
      if (said) said.scrollTop = said.scrollHeight;
      globalThis.deadheatEquip();
      scrollTo({ top: at, behavior: "instant" });
      shown = told.version;
      link("");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      link("the page's server is gone: the report lies in the run's folder");  // fetch throws TypeError
      // The stream of events may outlive a network that was away for a moment, and says nothing twice.
      setTimeout(() => { if (events.readyState === EventSource.OPEN) refresh(last); }, AGAIN_MS);
      return;
    } finally { fetching = false; }
    if (last && last.version !== shown) await refresh(last);
  }

  async function take(event) {
    last = JSON.parse(event.data);
    if (last.ended) events.close();
    await refresh(last);
    if (document.hidden && !last.ended) return;  // not a word is drawn
    const state = document.getElementById("live-state");
    if (state && state.textContent !== last.state) state.textContent = last.state;
    document.body.dataset.live = last.ended ? "ended" : "running";
  }

  // A hidden tab hears of nothing but the end.
  let events;
  function listen() {
    events?.close();
    if (last?.ended) return;
    events = new EventSource(document.hidden ? "events?end" : "events");
    events.addEventListener("open", () => link(""));
    events.addEventListener("error", () => link("the connection is lost; trying again"));
    events.addEventListener("race", take);
  }
  document.addEventListener("visibilitychange", listen);
  listen();
  const said = document.querySelector(".said");
  if (said) said.scrollTop = said.scrollHeight;
})();
