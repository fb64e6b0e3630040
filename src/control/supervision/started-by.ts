import * as z from 'zod';
import type { Thread } from '../../log/event-log.ts';

/** How many callers and threads a thread remembers, the newest. */
const most = 50;

const schema = z.object({ callers: z.array(z.string()), threads: z.array(z.string()), depth: z.number() });

/** The programs that asked for the runs of a thread, as its metadata keep it. */
export interface StartedBy {
  /** The connections, sessions and calls that asked. */
  readonly callers: readonly string[];
  /** The threads whose runs asked, and those that asked for these. */
  readonly threads: readonly string[];
  /** How many runs are around its runs: 0 when a person, or a program that no run started, asked. */
  readonly depth: number;
}

const nobody: StartedBy = { callers: [], threads: [], depth: 0 };

/** Returns which programs asked for the runs of a thread. */
export function readStartedBy({ metadata }: Thread): StartedBy {
  return schema.safeParse(metadata['startedBy']).data ?? nobody;
}

/** Adds a caller, which works for the runs of these threads, to those that asked for the runs of a thread. */
export function addStarter(
  known: StartedBy | undefined,
  caller: { readonly ids: readonly string[]; readonly threads: readonly Thread[]; readonly runsAround: number },
): StartedBy {
  const { callers, threads, depth } = known ?? nobody;
  const parents = caller.threads.map(readStartedBy);
  const newest = (texts: readonly string[]) => [...new Set(texts)].slice(-most);
  return {
    // Who asked for a run around this one has also asked for this one.
    callers: newest([...callers, ...parents.flatMap(each => each.callers), ...caller.ids]),
    threads: newest([...threads, ...parents.flatMap(each => each.threads), ...caller.threads.map(({ id }) => id)]),
    depth: Math.max(depth, caller.runsAround, ...parents.map(each => each.depth + 1)),
  };
}
