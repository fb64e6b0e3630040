import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cliAdapters } from '../../src/agents/cli/adapters/cli-adapters.ts';
import type { CliAdapter } from '../../src/agents/cli/contract/cli-adapter.ts';
import { RunTranslation } from '../../src/agents/cli/agent/run-translation.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { type Activity, createActivityState, projectActivity } from '../../src/projections/index.ts';

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));
const base = Date.parse('2026-01-01T00:00:00.000Z');

/** One recorded run of a real program. */
export interface Capture {
  /** `codex@0.166.0/hello`. */
  readonly name: string;
  readonly folder: string;
  readonly adapter: CliAdapter;
}

interface Meta {
  readonly cwd: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly lineTimesMs: readonly number[];
}

/** Every recorded run, in order of name. */
export function captures(): Capture[] {
  return readdirSync(fixtures).flatMap(cli =>
    readdirSync(join(fixtures, cli)).map(scenario => ({
      name: `${cli}/${scenario}`,
      folder: join(fixtures, cli, scenario),
      adapter: cliAdapters[cli.split('@')[0] as string] as CliAdapter,
    })),
  );
}

/** The lines of a text file; a last line without an ending is a line. */
export function linesOf(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Runs a recording through the translator as a process would: both streams, then the exit. */
export function replay({ folder, adapter }: Capture): { events: AgentEvent[]; activity: Activity[] } {
  const meta = JSON.parse(readFileSync(join(folder, 'meta.json'), 'utf8')) as Meta;
  const stdout = linesOf(join(folder, 'raw.jsonl'));
  const stderr = linesOf(join(folder, 'stderr.txt'));
  let time = 0;
  const run = new RunTranslation({
    runId: 'run',
    adapter,
    cwd: meta.cwd,
    translator: adapter.translator({ runId: 'run' }),
    now: () => new Date(base + time).toISOString(),
  });
  const events = run.start();
  for (const [index, line] of stdout.entries()) {
    time = meta.lineTimesMs[index] ?? time;
    events.push(...run.line('stdout', line, index + 1));
  }
  for (const [index, line] of stderr.entries()) events.push(...run.line('stderr', line, stdout.length + index + 1));
  events.push(...run.end({ exitCode: meta.exitCode, signal: meta.signal }));
  return { events, activity: activityOf(events, stdout) };
}

/** The activity of events whose raw lines are at hand. */
export function activityOf(events: readonly AgentEvent[], lines: readonly string[]): Activity[] {
  const state = createActivityState();
  return events.flatMap(event =>
    projectActivity(state, event, line => JSON.parse(lines[line - 1] ?? 'null') as unknown),
  );
}

/** One JSON value on each line. */
export function toLines(values: readonly unknown[]): string {
  return values.map(value => `${JSON.stringify(value)}\n`).join('');
}
