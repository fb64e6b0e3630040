import type { LiveNews } from '../live-feed.ts';

/** An entry of a stream: its id, then names and values in turn. */
export type StreamEntry = readonly [id: string, fields: readonly string[] | null];

/**
 * What is added to a stream: one entry for consecutive events. Its id is the last seq, so that Redis itself refuses what
 * is out of order; an entry without texts only announces that seq.
 */
export function entryArguments({ lastSeq, firstSeq, texts }: LiveNews): string[] {
  if (firstSeq === undefined || texts === undefined) return [`${lastSeq}-0`, 'seq', String(lastSeq)];
  return [`${lastSeq}-0`, 'first', String(firstSeq), ...texts.flatMap(text => ['event', text])];
}

/** Reads an entry; undefined when it is not one of ours. */
export function newsIn([id, fields]: StreamEntry): LiveNews | undefined {
  const lastSeq = Number(/^(\d+)-0$/.exec(id)?.[1]);
  if (!Number.isSafeInteger(lastSeq) || fields === null) return undefined;
  if (fields[0] !== 'first') return { lastSeq };
  const firstSeq = Number(fields[1]);
  const texts = fields.filter((_, index) => index % 2 === 1).slice(1);
  return firstSeq + texts.length - 1 === lastSeq ? { lastSeq, firstSeq, texts } : { lastSeq };
}
