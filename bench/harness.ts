import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installPeer } from './peer-packages.ts';
import type { Result } from './result.ts';

/** Two versions of the peer, with the store and the memory of their time. */
const versions: Readonly<Record<string, readonly string[]>> = {
  '1.41.0': ['@mastra/libsql@1.12.1', '@mastra/memory@1.20.2'],
  '1.71.0': ['@mastra/libsql@1.23.1', '@mastra/memory@1.31.0'],
};
const deltas = 10_000;
const worker = fileURLToPath(new URL('./peers/harness-worker.js', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

type Measured = Readonly<Record<string, number>>;
interface Peer {
  readonly name: string;
  readonly folder: string;
}

/**
 * The harness beside `@mastra/core`, which has the class it is compatible with. Each measurement is a process of its own
 * that loads only what it needs. Peers are installed into a cache folder; without them only our numbers are shown.
 */
export async function* harness(): AsyncGenerator<Result> {
  const peers = Object.entries(versions).flatMap(([version, others]): Peer[] => {
    const folder = installPeer(`mastra-${version}`, [`@mastra/core@${version}`, ...others]);
    return folder === undefined ? [] : [{ name: `mastra ${version}`, folder }];
  });
  yield* compare(peers, 'events', deltas, [
    { claim: 'CPU per text delta through subscribe', of: 'perDelta', unit: 'µs', goal: { atMost: 0.1 } },
    { claim: 'the same, the first in a process', of: 'first', unit: 'µs' },
    { claim: 'peak memory', of: 'memory', unit: 'MB' },
  ]);
  yield* compare(peers, 'joined', deltas, [
    { claim: 'CPU per text delta, joined within 32 ms', of: 'perDelta', unit: 'µs', goal: { atMost: 0.1 } },
    { claim: 'the same, the first in a process', of: 'first', unit: 'µs' },
  ]);
  yield* compare(peers, 'display', deltas, [
    { claim: 'CPU per text delta, display only', of: 'perDelta', unit: 'µs', goal: { atMost: 0.1 } },
  ]);
  yield* compare(peers, 'bytes', 2000, [
    { claim: 'JSON of all events but display states', of: 'bytes', unit: 'bytes' },
  ]);
  for (const size of [100, 1000, 5000]) {
    const goal = size === 5000 ? { goal: { atMost: 0.05 } } : {};
    yield* compare(peers, 'sized', size, [
      { claim: 'listMessages', of: 'list', unit: 'ms', ...goal },
      { claim: 'cloneThread', of: 'clone', unit: 'ms', ...goal },
      { claim: 'sendMessage', of: 'send', unit: 'ms', ...goal },
      { claim: 'sendMessage, the first 15 in a process', of: 'first', unit: 'ms' },
    ]);
  }
  yield* openedRuns();
  yield* race(peers, 'import', (who: string) => importTime(who), { unit: 'ms', goal: { atMost: 0.33 } });
  yield* race(peers, 'process start to first reply', (who: string) => replyTime(who), { unit: 'ms' });
  yield* race(peers, 'install size', (who: string) => megabytes(packagesOf(who)), { unit: 'MB' });
  yield* race(peers, 'packages', (who: string) => packagesOf(who).length, { unit: 'packages' });
}

/** A thread with one long run is opened in time that grows with its calls, and no faster. */
function* openedRuns(): Generator<Result> {
  const sizes = [4_000, 12_000, 20_000];
  const times = sizes.map(calls => measure('ours', 'opened', calls)['ms'] ?? Number.NaN);
  for (const [at, calls] of sizes.entries())
    yield { claim: 'harness: open a run', size: callCount(calls), unit: 'ms', ours: times[at] ?? Number.NaN };
  const [small = Number.NaN, , large = Number.NaN] = times.map((time, at) => (time * 1000) / (sizes[at] ?? 1));
  yield {
    claim: 'harness: open a run, per call, vs a run of 4,000',
    size: callCount(20_000),
    unit: 'µs',
    ours: large,
    peer: small,
    goal: { atMost: 1.5 },
  };
}

function callCount(calls: number): string {
  return `${calls.toLocaleString('en-US')} calls`;
}

interface Claim extends Pick<Result, 'claim' | 'unit' | 'goal'> {
  /** The number of the measurement that is claimed. */
  readonly of: string;
}

/** The same measurement of us and of each peer, the best of three in turn; the goal holds against the better peer. */
function* compare(peers: readonly Peer[], what: string, count: number, claims: readonly Claim[]): Generator<Result> {
  const contenders = ['ours', ...peers.map(({ folder }) => folder)];
  const once = () => contenders.map(who => measure(who, what, count));
  const all = [once(), once(), once()];
  const [ours = {}, ...theirs] = contenders.map((_, at) => all.map(measured => measured[at] ?? {}).reduce(better));
  const size = `${count.toLocaleString('en-US')} ${what === 'sized' ? 'messages' : 'deltas'}`;
  for (const { claim, of, unit, goal } of claims)
    yield* rows({
      claim,
      size,
      unit,
      own: ours[of] ?? Number.NaN,
      peers: peers.map((peer, at) => ({ peer, value: theirs[at]?.[of] })),
      best: Math.min(...theirs.map(measured => measured[of] ?? Number.POSITIVE_INFINITY)),
      goal,
    });
}

function better(one: Measured, other: Measured): Measured {
  return Object.fromEntries(Object.entries(one).map(([of, value]) => [of, Math.min(value, other[of] ?? value)]));
}

/** One number of us and of each peer. */
function* race(
  peers: readonly Peer[],
  claim: string,
  of: (who: string) => number,
  { unit, goal }: Pick<Result, 'unit' | 'goal'>,
): Generator<Result> {
  const own = of('ours');
  const values = peers.map(peer => ({ peer, value: of(peer.folder) }));
  const best = Math.min(...values.map(({ value }) => value));
  yield* rows({ claim, size: 'one process', unit, own, peers: values, best, goal });
}

interface Rows extends Pick<Result, 'claim' | 'size' | 'unit'> {
  readonly own: number;
  readonly best: number;
  readonly goal: Result['goal'];
  readonly peers: readonly { readonly peer: Peer; readonly value: number | undefined }[];
}

function* rows({ claim, size, unit, own, peers, best, goal }: Rows): Generator<Result> {
  if (peers.length === 0) yield { claim: `harness: ${claim}`, size, unit, ours: own };
  for (const { peer, value } of peers) {
    if (value === undefined) continue;
    const isBest = value === best;
    yield {
      claim: `harness: ${claim} vs ${peer.name}`,
      size,
      unit,
      ours: own,
      peer: value,
      ...(isBest && goal && { goal }),
    };
  }
}

function measure(who: string, what: string, count: number): Measured {
  const printed = execFileSync(process.execPath, [worker, who, what, String(count)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 600_000,
  });
  return JSON.parse(printed.trim().split('\n').at(-1) as string) as Measured;
}

/** The fastest of three processes that load the harness and nothing else. */
function importTime(who: string): number {
  const at = who === 'ours' ? import.meta.resolve('singletree/control') : entryIn(who);
  const code = `const t = performance.now(); await import(${JSON.stringify(at)}); console.log(performance.now() - t); process.exit(0)`;
  const run = () => Number(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }));
  return Math.min(run(), run(), run());
}

/** The fastest of three processes from their start to the end of the first reply. */
function replyTime(who: string): number {
  const run = () => {
    const before = performance.now();
    measure(who, 'reply', 1);
    return performance.now() - before;
  };
  return Math.min(run(), run(), run());
}

function entryIn(folder: string): string {
  return pathToFileURL(createRequire(join(folder, 'from.js')).resolve('@mastra/core/harness')).href;
}

/** The folders of all packages that an installation has. */
function packagesOf(who: string): string[] {
  const cwd = who === 'ours' ? root : who;
  const listed = execFileSync('npm', ['ls', '--all', '--omit=dev', '--parseable'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const folders = listed.split('\n').filter(line => line.includes('node_modules'));
  return who === 'ours' ? [join(root, 'dist'), ...folders] : folders;
}

function megabytes(folders: readonly string[]): number {
  return folders.reduce((sum, folder) => sum + bytesIn(folder), 0) / 1e6;
}

/** The bytes of a package, without those of packages inside it: they are listed themselves. */
function bytesIn(folder: string): number {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += bytesIn(path);
    else if (entry.isFile()) sum += statSync(path).size;
  }
  return sum;
}
