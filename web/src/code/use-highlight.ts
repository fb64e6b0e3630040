import { useEffect, useState } from 'react';
import type { CodeLine } from './highlighter.ts';

/** A longer code is not highlighted. */
const mostChars = 300_000;
const mostKept = 200;

type Lines = readonly CodeLine[] | undefined;

/** Highlighted codes, the oldest first: a block that is shown again has its colours at once. */
const kept = new Map<string, Lines>();
const open = new Map<string, Promise<Lines>>();

/** Returns the highlighted lines of a code once they are known; undefined until then, and for an unknown language. */
export function useHighlight(code: string, language: string, isReady: boolean): Lines {
  const key = `${language}\n${code}`;
  const [shown, setShown] = useState<{ readonly key: string; readonly lines: Lines }>();
  const isWanted = isReady && language !== '' && code.length <= mostChars && !kept.has(key);
  useEffect(() => {
    if (!isWanted) return undefined;
    let isLeft = false;
    void loadLines(key, code, language).then(lines => {
      if (!isLeft) setShown({ key, lines });
    });
    return () => {
      isLeft = true;
    };
  }, [isWanted, key, code, language]);
  if (!isReady) return undefined;
  return kept.get(key) ?? (shown?.key === key ? shown.lines : undefined);
}

function loadLines(key: string, code: string, language: string): Promise<Lines> {
  const before = open.get(key);
  if (before !== undefined) return before;
  // Without colours the code is shown as it is.
  const work = highlightInWorker(code, language)
    .catch(() => undefined)
    .then(lines => {
      open.delete(key);
      kept.set(key, lines);
      for (const oldest of kept.keys()) {
        if (kept.size <= mostKept) break;
        kept.delete(oldest);
      }
      return lines;
    });
  open.set(key, work);
  return work;
}

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, (lines: Lines) => void>();

/** Highlights code in a worker, so that large code does not block the page. */
function highlightInWorker(code: string, language: string): Promise<Lines> {
  if (worker === undefined) {
    worker = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; lines: Lines }>) => {
      waiting.get(data.id)?.(data.lines);
      waiting.delete(data.id);
    });
  }
  const id = ++lastId;
  // oxlint-disable-next-line require-post-message-target-origin -- a worker has no origin
  worker.postMessage({ id, code, language });
  return new Promise(resolve => waiting.set(id, resolve));
}
