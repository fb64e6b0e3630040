import { readdirSync, readFileSync } from 'node:fs';
import { type CliAdapter, cliAdapters } from 'singletree/agents';
import { antigravityLines } from './antigravity-lines.ts';
import { collectGarbage, race } from './measure.ts';
import type { Result } from './result.ts';

const fixtures = new URL('../../test/cli-agents/fixtures/', import.meta.url);
const size = 100_000_000;

/** Translating what an external agent prints costs at most three times reading it as JSON, in flat memory. */
export async function* translate(): AsyncGenerator<Result> {
  for (const adapter of Object.values(cliAdapters)) {
    const lines = adapter.id === 'antigravity' ? antigravityLines() : recordedLines(adapter);
    if (lines.length === 0) {
      console.log(`translate ${adapter.id} is left out: there is no recording of its output`);
      continue;
    }
    const rounds = Math.ceil(size / lines.reduce((sum, line) => sum + line.length, 0));
    const { ours, peer } = await race(
      { ours: () => translateAll(adapter, lines, rounds), peer: () => parseAll(lines, rounds) },
      { warmups: 1, rounds: 3 },
    );
    const perSecond = (milliseconds: number) => size / 1000 / milliseconds;
    yield {
      claim: `translate ${adapter.id}: time vs JSON.parse of the same lines`,
      size: '100 MB',
      unit: 'ms',
      ours,
      peer,
      goal: { atMost: 3 },
    };
    yield { claim: `translate ${adapter.id}: throughput`, size: '100 MB', unit: 'MB/s', ours: perSecond(ours) };
    yield {
      claim: `translate ${adapter.id}: memory held after the stream`,
      size: '100 MB',
      unit: 'MB',
      ours: heldAfter(adapter, lines, rounds),
    };
  }
}

/** The lines of every recording of an agent that are JSON, one after the other. */
function recordedLines({ id }: CliAdapter): string[] {
  return readdirSync(fixtures)
    .filter(folder => folder.startsWith(`${id}@`))
    .flatMap(folder => readdirSync(new URL(`${folder}/`, fixtures)).map(scenario => `${folder}/${scenario}/raw.jsonl`))
    .flatMap(file => readFileSync(new URL(file, fixtures), 'utf8').split('\n'))
    .filter(isJson);
}

/** Some programs print a banner before their first record. */
function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function translateAll(adapter: CliAdapter, lines: readonly string[], rounds: number) {
  const translator = adapter.translator({ runId: 'run' });
  let count = 0;
  for (let round = 0; round < rounds; round++) for (const line of lines) count += translator.translate(line).length;
  if (count === 0) throw new Error('Nothing was translated: the recordings are missing.');
  return translator;
}

function parseAll(lines: readonly string[], rounds: number): void {
  for (let round = 0; round < rounds; round++) for (const line of lines) JSON.parse(line);
}

function heldAfter(adapter: CliAdapter, lines: readonly string[], rounds: number): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const translator = translateAll(adapter, lines, rounds);
  collectGarbage();
  const held = process.memoryUsage().heapUsed - before;
  translator.flush();
  return Math.max(0, held) / 1e6;
}
