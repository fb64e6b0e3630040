import * as fc from 'fast-check';

const huge = 'x'.repeat(1_000_000);
const strange = fc.constantFrom<unknown>(
  null,
  0,
  -1,
  1e308,
  '',
  '\0',
  '🦄\ud800',
  true,
  [],
  {},
  [null],
  { type: 7 },
  'constructor',
  '__proto__',
);

type Mutation = (lines: string[], at: number, value: unknown, pick: number) => void;

const mutations: Readonly<Record<string, Mutation>> = {
  deleteField: (lines, at, _value, pick) => change(lines, at, pick, (owner, key) => delete owner[key]),
  wrongType: (lines, at, value, pick) => change(lines, at, pick, (owner, key) => (owner[key] = value)),
  hugeText: (lines, at, _value, pick) => change(lines, at, pick, (owner, key) => (owner[key] = huge)),
  truncate: (lines, at, _value, pick) => (lines[at] = (lines[at] ?? '').slice(0, pick % 400)),
  swap: (lines, at, _value, pick) => {
    const other = pick % lines.length;
    [lines[at], lines[other]] = [lines[other] as string, lines[at] as string];
  },
  duplicate: (lines, at) => lines.splice(at, 0, lines[at] ?? ''),
  drop: (lines, at) => lines.splice(at, 1),
  noise: (lines, at, value) => lines.splice(at, 0, `\0${String(value)}`),
};

/** Applies a change to one field anywhere inside a line. */
function change(
  lines: string[],
  at: number,
  pick: number,
  apply: (owner: Record<string, unknown>, key: string) => void,
) {
  let value: unknown;
  try {
    value = JSON.parse(lines[at] ?? '');
  } catch {
    return;
  }
  const places: [Record<string, unknown>, string][] = [];
  const queue: unknown[] = [value];
  for (const owner of queue) {
    if (typeof owner !== 'object' || owner === null) continue;
    for (const key of Object.keys(owner)) {
      places.push([owner as Record<string, unknown>, key]);
      queue.push((owner as Record<string, unknown>)[key]);
    }
  }
  const place = places[pick % Math.max(1, places.length)];
  if (place !== undefined) apply(...place);
  lines[at] = JSON.stringify(value);
}

const step: fc.Arbitrary<MutationStep> = fc.tuple(
  fc.constantFrom(...Object.keys(mutations)),
  fc.nat(),
  strange,
  fc.nat(),
);
type MutationStep = [name: string, at: number, value: unknown, pick: number];

/** A few changes of recorded lines: fields, order, repetition, cuts, noise. */
export const mutationSteps: fc.Arbitrary<MutationStep[]> = fc.array(step, { minLength: 1, maxLength: 6 });

/** Returns lines with these changes. */
export function mutated(recorded: readonly string[], steps: readonly MutationStep[]): string[] {
  const lines = [...recorded];
  for (const [name, at, value, pick] of steps)
    if (lines.length > 0) (mutations[name] as Mutation)(lines, at % lines.length, value, pick);
  return lines;
}
