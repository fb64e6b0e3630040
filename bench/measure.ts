/** What is compared: each does the same work and is timed as a whole. */
export type Contenders<Name extends string> = Readonly<Record<Name, () => unknown>>;

export interface Rounds {
  /** Untimed runs of each contender before the first round. */
  warmups: number;
  /** Timed runs of each contender. */
  rounds: number;
  /** How often a contender runs within one timing, for work too short to time alone; 1 when absent. */
  repeat?: number;
}

/**
 * The fastest time of each contender, in milliseconds for one run. They take turns, so that a busy moment of the
 * machine falls on all of them, and each starts with the garbage of the others collected.
 */
export async function race<Name extends string>(
  contenders: Contenders<Name>,
  { warmups, rounds, repeat = 1 }: Rounds,
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const best = Object.fromEntries(names.map(name => [name, Number.POSITIVE_INFINITY])) as Record<Name, number>;
  for (let round = -warmups; round < rounds; round++)
    for (const name of names) {
      const time = await timeOf(contenders[name], repeat);
      if (round >= 0) best[name] = Math.min(best[name], time);
    }
  return best;
}

async function timeOf(run: () => unknown, repeat: number): Promise<number> {
  collectGarbage();
  const start = performance.now();
  for (let i = 0; i < repeat; i++) await run();
  return (performance.now() - start) / repeat;
}

/** Collects all garbage; `node --expose-gc` is needed for it. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('Run with `node --expose-gc`: garbage is collected between rounds.');
  globalThis.gc();
}
