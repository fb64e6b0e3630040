/** What is compared: each does the same work and is timed as a whole. */
export type Contenders<Name extends string> = Readonly<Record<Name, () => unknown>>;

export interface Rounds {
  /** Untimed runs of each contender before the first round. */
  warmups: number;
  /** Timed runs of each contender. */
  rounds: number;
  /** How often a contender runs within one timing, for work too short to time alone; 1 when absent. */
  repeat?: number;
  /**
   * What is measured. `fastest`: the shortest time on the clock. `cpu`: the median of the processor time of this process,
   * which other work of the machine does not change. `median`: the median on the clock. Default: `fastest`.
   */
  measure?: 'fastest' | 'cpu' | 'median';
}

/**
 * The time of each contender, in milliseconds for one run. They take turns, so that a busy moment of the machine falls
 * on all of them, and each starts with the garbage of the others collected.
 */
export async function race<Name extends string>(
  contenders: Contenders<Name>,
  { warmups, rounds, repeat = 1, measure = 'fastest' }: Rounds,
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const times = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<Name, number[]>;
  const now = measure === 'cpu' ? processorTime : () => performance.now();
  for (let round = -warmups; round < rounds; round++)
    for (const name of names) {
      const time = await timeOf(contenders[name], repeat, now);
      if (round >= 0) times[name].push(time);
    }
  const entries = names.map(name => [name, measure === 'fastest' ? Math.min(...times[name]) : median(times[name])]);
  return Object.fromEntries(entries) as Record<Name, number>;
}

async function timeOf(run: () => unknown, repeat: number, now: () => number): Promise<number> {
  collectGarbage();
  const start = now();
  for (let i = 0; i < repeat; i++) await run();
  return (now() - start) / repeat;
}

/** The processor time that this process has used, in milliseconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** Collects all garbage; `node --expose-gc` is needed for it. */
export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('Run with `node --expose-gc`: garbage is collected between rounds.');
  globalThis.gc();
}
