import { isDeepStrictEqual } from 'node:util';
import { foldCopying, foldImmutable, foldMutable, foldOurs } from './graph-folds.ts';
import { race } from './measure.ts';
import { noCopiedMaps } from './peers/copied-maps.ts';
import { ratioOf, type Result } from './result.ts';
import { type Step, steps } from './steps.ts';

const sizes = [1_000, 10_000, 100_000, 1_000_000];

const goalClaims = ['reduce: vs Maps, nodes replaced', 'reduce: vs Maps, nodes changed in place'] as const;

/** Larger graphs are not copied from the first event on: only their last events are. */
const mostCopies = 1_000;

/** A graph that never changes costs at most three times one that is changed in place, at any size. */
export async function* graphReduce(): AsyncGenerator<Result> {
  const alive = oneOfEach(steps(2_000));
  const found: Result[] = [];
  for (const size of sizes)
    for await (const result of reduceAt(size, steps(size))) {
      found.push(result);
      yield result;
    }
  alive.length = 0;
  yield growthOf(found.filter(result => result.claim === goalClaims[1]));
}

/** The ratio at the largest size against that at the smallest: against the cheapest peer it is not to grow. */
function growthOf(found: readonly Result[]): Result {
  const [first, last] = [found.at(0), found.at(-1)];
  if (first === undefined || last === undefined) throw new Error('No size was measured.');
  return {
    claim: `${first.claim}: growth of the ratio`,
    size: `${first.size.split(' ')[0]} → ${last.size.split(' ')[0]}`,
    unit: 'times',
    ours: ratioOf(last) ?? Number.NaN,
    peer: ratioOf(first) ?? Number.NaN,
    goal: { atMost: 1.1 },
  };
}

async function* reduceAt(size: number, all: readonly Step[]): AsyncGenerator<Result> {
  const rounds = size >= 1_000_000 ? 3 : 7;
  const mutable = await race(
    {
      ours: () => foldOurs(all),
      replaced: () => foldMutable(all, 'replaced'),
      mutated: () => foldMutable(all, 'mutated'),
    },
    { warmups: size >= 1_000_000 ? 1 : 2, rounds, repeat: Math.ceil(400_000 / size) },
  );
  const { immutable } = await race(
    { immutable: () => foldImmutable(all) },
    { warmups: size >= 1_000_000 ? 0 : 1, rounds: size >= 1_000_000 ? 1 : 3, repeat: Math.ceil(50_000 / size) },
  );
  const copied = await copyCost(all);

  const perEvent = (milliseconds: number) => (milliseconds / size) * 1e6;
  const row = { size: `${size.toLocaleString('en-US')} events`, unit: 'ns/event', ours: perEvent(mutable.ours) };
  const goal = { atMost: 3 };
  yield { ...row, claim: goalClaims[0], peer: perEvent(mutable.replaced), goal };
  yield { ...row, claim: goalClaims[1], peer: perEvent(mutable.mutated), goal };
  yield { ...row, claim: 'reduce: vs persistent Maps of `immutable`', peer: perEvent(immutable) };
  yield { ...row, claim: 'reduce: vs Maps copied for each event', peer: copied };
}

/** Nanoseconds for one event when Maps are copied, at the end of the graph. */
async function copyCost(all: readonly Step[]): Promise<number> {
  const count = Math.min(mostCopies, all.length, Math.ceil(50_000_000 / all.length));
  const last = all.slice(all.length - count);
  const start = count === all.length ? noCopiedMaps : foldMutable(all.slice(0, -count), 'replaced');
  const { copying } = await race({ copying: () => foldCopying(last, start) }, { warmups: 1, rounds: 2 });
  return (copying / count) * 1e6;
}

/**
 * A small graph of each kind, equal to one another. While they live, a collection between rounds does not make the
 * engine throw away the code it compiled for their kind of object.
 */
function oneOfEach(some: readonly Step[]): unknown[] {
  const ours = foldOurs(some);
  const peers = [
    foldMutable(some, 'replaced'),
    foldMutable(some, 'mutated'),
    foldCopying(some, noCopiedMaps),
    foldImmutable(some),
  ];
  for (const peer of peers)
    for (const name of ['nodes', 'edges', 'lastNodeByRunId'] as const)
      if (!isDeepStrictEqual(Object.fromEntries(peer[name]), Object.fromEntries(ours[name])))
        throw new Error(`A peer folds the ${name} otherwise than we do: they cannot be compared.`);
  return [ours, ours.nodes, ours.edges, ...peers];
}
