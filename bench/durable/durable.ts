import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { installPeer } from '../peer-packages.ts';
import type { Result } from '../result.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** The peers, each with the packages that it is installed from; the AI SDK is installed with the repository. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'openai-agents': ['@openai/agents@0.20.0', 'zod@4.1.12'],
  langgraph: [
    '@langchain/langgraph@1.4.0',
    '@langchain/langgraph-checkpoint@1.1.5',
    '@langchain/langgraph-checkpoint-sqlite@1.0.4',
    '@langchain/core@1.2.13',
    'zod@4.1.12',
  ],
  mastra: ['@mastra/core@1.71.0', '@mastra/libsql@1.23.1', '@mastra/memory@1.31.0'],
};

const rounds = 3;
const worker = fileURLToPath(new URL('./durable-worker.js', import.meta.url));

interface Contender {
  readonly name: string;
  readonly folder: string;
}

type Numbers = Readonly<Record<string, number>>;

/** What a worker prints: its numbers, and the thread that it leaves for another one. */
type Printed = Omit<Numbers, 'threadId'> & { readonly threadId?: string };

interface Claim {
  readonly claim: string;
  /** The number of a measurement that is compared. */
  readonly number: string;
  readonly unit: string;
  /** What ours may be of the AI SDK's at most. */
  readonly atMost?: number;
}

interface Measurement {
  readonly what: string;
  readonly count: number;
  readonly size: string;
  readonly claims: readonly Claim[];
}

const measurements: readonly Measurement[] = [
  {
    what: 'calls',
    count: 1_000,
    size: '1,000 calls',
    claims: [{ claim: 'tool calls in one run', number: 'time', unit: 'ms CPU', atMost: 0.5 }],
  },
  {
    what: 'turns',
    count: 200,
    size: '200 turns',
    claims: [
      { claim: 'turns of one thread, each with a call', number: 'time', unit: 'ms CPU' },
      { claim: 'one of the last ten turns', number: 'last', unit: 'ms CPU' },
      { claim: 'peak memory of these turns', number: 'memory', unit: 'MB' },
      { claim: 'file after these turns', number: 'bytes', unit: 'bytes', atMost: 2.5 },
      { claim: 'process start to the model call of the next turn', number: 'continued', unit: 'ms CPU' },
    ],
  },
  {
    what: 'stream',
    count: 20_000,
    size: '20,000 tokens',
    claims: [{ claim: 'tokens of one reply', number: 'time', unit: 'ms CPU' }],
  },
  {
    what: 'concurrent',
    count: 100,
    size: '100 runs of 10 calls',
    claims: [{ claim: 'runs at once', number: 'time', unit: 'ms CPU', atMost: 0.7 }],
  },
  {
    what: 'reply',
    count: 1,
    size: 'one process',
    claims: [{ claim: 'process start to first reply', number: 'time', unit: 'ms CPU', atMost: 1.1 }],
  },
  {
    what: 'resume',
    count: 50,
    size: 'killed after 50 calls',
    claims: [
      { claim: 'process start to the next model call after a kill', number: 'time', unit: 'ms CPU', atMost: 1.1 },
      { claim: 'results that the model call after the kill has', number: 'results', unit: 'results' },
    ],
  },
];

/**
 * Our loop beside others on the same work, each with everything in a SQLite file. Each measurement is a process of its
 * own; they take turns, and the best of each counts.
 */
export async function* durable(): AsyncGenerator<Result> {
  const installed = Object.entries(packages).flatMap(([name, wanted]): Contender[] => {
    const folder = installPeer(`${name}-${wanted[0]?.split('@').at(-1)}`, wanted);
    return folder === undefined ? [] : [{ name, folder }];
  });
  const peers = [{ name: 'ai-sdk', folder: '' }, ...installed];
  for (const measurement of measurements) {
    const best = measureInTurn([{ name: 'ours', folder: '' }, ...peers], measurement);
    for (const { claim, number, unit, atMost } of measurement.claims)
      for (const { name } of peers)
        yield {
          claim: `durable: ${claim} vs ${name}`,
          size: measurement.size,
          unit,
          ours: best.get('ours')?.[number] ?? Number.NaN,
          peer: best.get(name)?.[number] ?? Number.NaN,
          ...(name === 'ai-sdk' && atMost !== undefined && { goal: { atMost } }),
        };
  }
}

/** The smallest of each number of each contender. */
function measureInTurn(contenders: readonly Contender[], measurement: Measurement): Map<string, Numbers> {
  const best = new Map<string, Numbers>();
  for (let round = 0; round < rounds; round++)
    for (const contender of contenders) {
      const { name } = contender;
      const numbers = measureOnce(contender, measurement);
      const before = best.get(name) ?? numbers;
      const entries = Object.entries(numbers).map(([key, value]) => [key, Math.min(value, before[key] ?? value)]);
      best.set(name, Object.fromEntries(entries) as Numbers);
    }
  return best;
}

function measureOnce(contender: Contender, { what, count }: Measurement): Numbers {
  const folder = temporaryFolder();
  const file = folder.path('threads.db');
  try {
    if (what !== 'resume') {
      const { threadId, ...numbers } = runWorker(contender, [file, what, String(count)]);
      if (threadId === undefined) return numbers;
      const bytes = measureFile(file);
      const { time: continued = Number.NaN } = runWorker(contender, [file, 'continue', '0', threadId]);
      return { ...numbers, bytes, continued };
    }
    const { threadId = '' } = runWorker(contender, [file, 'kill', String(count)], true);
    return runWorker(contender, [file, 'resume', String(count), threadId]);
  } finally {
    folder.remove();
  }
}

/** Runs a worker and returns the last line that it printed; `isKilled` accepts one that ends with a signal. */
function runWorker({ name, folder }: Contender, args: readonly string[], isKilled = false): Printed {
  let printed: string;
  try {
    printed = execFileSync(process.execPath, [worker, name, folder, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 600_000,
    });
  } catch (error) {
    const { signal, stdout } = error as { signal?: string; stdout?: string };
    if (!isKilled || signal !== 'SIGKILL' || stdout === undefined) throw error;
    printed = stdout;
  }
  return JSON.parse(printed.trim().split('\n').at(-1) as string) as Printed;
}

/** The bytes of a SQLite file when its write-ahead log is in it. */
function measureFile(file: string): number {
  const db = new Database(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  return statSync(file).size;
}
