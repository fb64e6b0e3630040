/** The style of an exported page. */
export const pageStyle = `:root { color-scheme: light dark; --ground: light-dark(#f7f6f3, #161614); --surface: light-dark(#fff, #1f1f1c);
  --line: light-dark(#e2dfd7, #33322d); --ink: light-dark(#23221f, #ebe9e3); --soft: light-dark(#5f5c55, #b3afa5);
  --accent: light-dark(#2f6b4d, #7fc29d); --own: light-dark(#e6f0ea, #20302a); --ask: light-dark(#8f5400, #e5ae57);
  --bad: light-dark(#b3352c, #ef8a80); --added: light-dark(#e3f3e6, #17301f); --removed: light-dark(#fbe7e5, #3a1d1b);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font: 400 15.5px/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1rem 6rem; background: var(--ground); color: var(--ink); overflow-wrap: anywhere; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0; }
h2 { font-size: .85rem; color: var(--soft); margin: 1.5rem 0 .4rem; }
h3, h4 { margin: 1rem 0 .3rem; font-size: 1.05rem; }
p, ul, ol, blockquote, pre, table { margin: .4rem 0; }
a { color: var(--accent); }
pre, code, .command { font-family: var(--mono); font-size: .85em; }
pre { background: var(--surface); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; overflow: auto; max-height: 30rem; white-space: pre-wrap; }
:not(pre) > code { background: var(--surface); border: 1px solid var(--line); border-radius: 4px; padding: 0 .25em; }
blockquote { border-left: 3px solid var(--line); padding-left: .8rem; margin-left: 0; color: var(--soft); }
.table { overflow-x: auto; } table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .25rem .6rem; text-align: start; }
img { max-width: 100%; border-radius: 6px; }
.facts, .notice, .end { color: var(--soft); font-size: .85rem; }
.notice[data-level=error], [data-tone=bad] > summary .fact { color: var(--bad); } .notice[data-level=warning] { color: var(--ask); }
.said { background: var(--own); border-radius: 10px; padding: .5rem .9rem; white-space: pre-wrap; unicode-bidi: plaintext; }
details { border: 1px solid var(--line); border-radius: 8px; background: var(--surface); margin: .4rem 0; padding: 0 .8rem; }
details > summary { cursor: pointer; padding: .35rem 0; } details[open] { padding-bottom: .5rem; }
summary .fact { color: var(--soft); font-size: .8rem; margin-left: .5rem; }
.thought { border: 0; background: none; padding: 0; color: var(--soft); }
.relay { border-left: 3px solid var(--ask); padding: .2rem .8rem; margin: .4rem 0; }
.runs { border-left: 3px solid var(--line); padding-left: 1rem; margin: .4rem 0; } .runs h2 { margin-top: .4rem; }
.diff { padding: 0; } .diff span { display: block; padding: 0 .8rem; white-space: pre-wrap; min-height: 1.4em; }
.diff .added { background: var(--added); } .diff .removed { background: var(--removed); }
.diff i { display: inline-block; min-width: 3.5em; color: var(--soft); font-style: normal; user-select: none; }
.player { position: fixed; inset: auto 0 0; display: flex; gap: .8rem; align-items: center; justify-content: center; flex-wrap: wrap; padding: .6rem 1rem; background: var(--surface); border-top: 1px solid var(--line); }
.player input { flex: 1; max-width: 24rem; min-width: 8rem; accent-color: var(--accent); }
.player button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .2rem .8rem; cursor: pointer; min-width: 4rem; }
.player .clock { font-variant-numeric: tabular-nums; color: var(--soft); }
footer { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: .5rem; color: var(--soft); font-size: .8rem; }
@media print { .player { display: none; } pre { max-height: none; } }`;

/**
 * The script of an exported page. Without it everything is shown; with it a bar plays the conversation back: elements
 * with a later `data-at` than the position are hidden, and the blocks of a text appear one by one until `data-until`.
 */
export const playerScript = `(() => {
  const timed = [...document.querySelectorAll('[data-at]')].map(element => ({
    element,
    at: Number(element.dataset.at),
    until: Number(element.dataset.until ?? element.dataset.at),
  }));
  const end = timed.reduce((last, { until }) => Math.max(last, until), 0);
  if (end === 0) return;
  const make = (name, text, fields) => Object.assign(document.createElement(name), { textContent: text }, fields);
  const bar = make('div', '', { className: 'player' });
  bar.setAttribute('role', 'group');
  bar.setAttribute('aria-label', 'Playback');
  const play = make('button', 'Play', { type: 'button' });
  const place = make('input', '', { type: 'range', min: 0, max: end, value: end });
  place.setAttribute('aria-label', 'Position');
  const clock = make('span', '', { className: 'clock' });
  const speed = make('button', '4×', { type: 'button' });
  speed.setAttribute('aria-label', 'Speed');
  const save = make('button', 'Save events', { type: 'button' });
  bar.append(play, place, clock, speed, save);
  document.body.append(bar);
  const text = ms => Math.floor(ms / 60000) + ':' + String(Math.floor(ms / 1000) % 60).padStart(2, '0');
  let position = end;
  let rate = 4;
  let frame = 0;
  let before = 0;
  const show = next => {
    position = next;
    for (const { element, at, until } of timed) {
      element.hidden = at > position;
      if (!element.classList.contains('prose')) continue;
      const shown = position >= until ? Infinity : Math.ceil((element.children.length * (position - at)) / (until - at));
      for (let index = 0; index < element.children.length; index++) element.children[index].hidden = index >= shown;
    }
    place.value = String(position);
    clock.textContent = text(position) + ' / ' + text(end);
  };
  const stop = () => {
    cancelAnimationFrame(frame);
    frame = 0;
    play.textContent = 'Play';
  };
  const tick = now => {
    show(Math.min(end, position + (now - before) * rate));
    before = now;
    timed.findLast(({ element }) => !element.hidden)?.element.scrollIntoView({ block: 'nearest' });
    if (position < end) frame = requestAnimationFrame(tick);
    else stop();
  };
  play.addEventListener('click', () => {
    if (frame !== 0) return stop();
    if (position >= end) show(0);
    play.textContent = 'Pause';
    before = performance.now();
    frame = requestAnimationFrame(tick);
  });
  place.addEventListener('input', () => {
    stop();
    show(Number(place.value));
  });
  speed.addEventListener('click', () => {
    rate = rate === 16 ? 1 : rate * 4;
    speed.textContent = rate + '×';
  });
  save.addEventListener('click', () => {
    const events = document.getElementById('events').textContent.trim() + '\\n';
    const url = URL.createObjectURL(new Blob([events], { type: 'application/x-ndjson' }));
    make('a', '', { href: url, download: 'thread.jsonl' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  });
  show(end);
})();`;
