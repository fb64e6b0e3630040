/**
 * The script of an exported page. Without it everything is shown; with it a bar plays the conversation back: what has a
 * later `data-at` than the position is hidden, and the blocks of a text appear one after the other until its `data-until`.
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
