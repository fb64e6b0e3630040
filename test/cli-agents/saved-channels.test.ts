import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readSavedStream, type SavedStreamOptions } from '../../src/agents/index.ts';
import { type AgentEvent, parseEvent } from '../../src/events/index.ts';
import { readRecording } from '../support/recorded-channel.ts';
import { shownWork } from './support/shown-work.ts';

const fixtures = fileURLToPath(new URL('./channels/fixtures', import.meta.url));
const ts = '2026-01-01T00:00:00.000Z';

/** The raw.jsonl of a recorded session: what the program printed, or its server sent. */
function rawRecords(file: string, isSecond = false): string {
  const isServed = readRecording(file, 'sse').length > 0;
  const from = isServed ? (readRecording(file, 'p2')[0]?.t ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  return readRecording(file, isServed ? ['http', 'sse'] : isSecond ? 'p2' : undefined)
    .filter(({ dir, t }) => dir === 'out' && t < from)
    .map(({ line, proc }, index) => {
      const text = proc === 'http' ? served(JSON.parse(line) as { status: number; body: string }, index) : line;
      return `${JSON.stringify({ n: index + 1, ts, stream: 'stdout', line: `${text}\n` })}\n`;
    })
    .join('');
}

function served({ status, body }: { status: number; body: string }, id: number): string {
  let value: unknown = body;
  try {
    value = JSON.parse(body);
  } catch {}
  return JSON.stringify({ response: { id, status, body: value } });
}

/** Reads the raw.jsonl of a recording as a saved stream. */
async function readSaved(agent: string, text: string, options: SavedStreamOptions = {}): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of readSavedStream(agent, [text], { runId: 'run1', ...options }))
    events.push(parseEvent(event));
  return events;
}

/** The events that the channel emitted while the recording was played to it. */
function expectedEvents(file: string): AgentEvent[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('{"type"') || line.startsWith('{"emit"'))
    .map(line => JSON.parse(line) as { emit?: unknown })
    .map(line => parseEvent(line.emit ?? line));
}

/** What the program does not print: the answer of a person, and a rejected call of Gemini CLI. */
const unprinted: ReadonlySet<string> = new Set([
  'codex@0.166.0 question-default-mode-feature',
  'gemini@0.61.0 cancelled-outcome',
  'gemini@0.61.0 interrupt-pending',
  'gemini@0.61.0 parallel',
  'gemini@0.61.0 reject',
]);

/** Recordings whose client went on after what the replay covers, or sent requests that fail. */
const probed: ReadonlySet<string> = new Set([
  'cline@3.0.65 resume',
  'codex@0.166.0 resume',
  'copilot@1.0.102 error',
  'copilot@1.0.102 resume',
  'goose@1.52.0 error',
  'goose@1.52.0 resume',
  'qwen@0.24.4 question-answers',
  'qwen@0.24.4 resume',
  'qwen@0.24.4 subagent',
]);

/** Sessions that did not open: the run has no turn, its stream has the reason. */
const unopened: Readonly<Record<string, string>> = {
  'claude@2.1.197 resume-unknown': 'Claude Code ended with error_during_execution.',
  'claude@2.1.325 resume-unknown': 'Claude Code ended with error_during_execution.',
  'cline@3.0.65 auth-required': 'Authentication required: Call authenticate before starting a session',
  'gemini@0.61.0 load-same-minute': 'No previous sessions found for this project.',
};

const recordings = readdirSync(fixtures).flatMap(folder =>
  readdirSync(`${fixtures}/${folder}`)
    .filter(
      name => name.endsWith('.expected.jsonl') && existsSync(`${fixtures}/${folder}/${name.replace('.expected', '')}`),
    )
    .map(name => ({ folder, scenario: name.replace('.expected.jsonl', ''), name: `${folder} ${name.split('.')[0]}` })),
);

describe('the saved messages of an interactive channel', () => {
  it.each(recordings.filter(({ name }) => !unprinted.has(name)))(
    'are the work that the channel showed: $name',
    async ({ folder, scenario, name }) => {
      const file = `${fixtures}/${folder}/${scenario}`;
      const isSecond = scenario === 'resume' && !folder.startsWith('claude');
      const work = shownWork(await readSaved(folder.split('@')[0] as string, rawRecords(`${file}.jsonl`, isSecond)));
      const problem = unopened[name];
      const shown = problem === undefined ? shownWork(expectedEvents(`${file}.expected.jsonl`)) : [{ error: problem }];
      expect(probed.has(name) ? work.slice(0, shown.length) : work).toEqual(shown);
    },
  );

  it.each(recordings.filter(({ name }) => unprinted.has(name)))(
    'lack only the results that the program does not print: $name',
    async ({ folder, scenario }) => {
      const file = `${fixtures}/${folder}/${scenario}`;
      const work = shownWork(await readSaved(folder.split('@')[0] as string, rawRecords(`${file}.jsonl`)));
      const shown = shownWork(expectedEvents(`${file}.expected.jsonl`)).map(item => JSON.stringify(item));
      expect(shown).toEqual(expect.arrayContaining(work.map(item => JSON.stringify(item))));
      expect(work.some(item => 'unknown' in item)).toBe(false);
    },
  );

  it('are read from the middle of a session, as of a program that was kept for the turn', async () => {
    const raw = rawRecords(`${fixtures}/codex@0.166.0/text-two-turns.jsonl`).split('\n');
    const second = raw.findLastIndex(line => line.includes('turn/started'));
    const events = await readSaved('codex', raw.slice(second).join('\n'));
    expect(shownWork(events)).toEqual(
      shownWork(expectedEvents(`${fixtures}/codex@0.166.0/text-two-turns.expected.jsonl`)).slice(-1),
    );
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
  });

  it('end as the record of the run says', async () => {
    const raw = rawRecords(`${fixtures}/codex@0.166.0/interrupt-tool.jsonl`);
    const aborted = await readSaved('codex', raw, { end: { reason: 'aborted' } });
    expect(aborted.at(-1)).toMatchObject({ type: 'harness_end', reason: 'aborted' });
    const error = { message: 'Codex ran for 1 s, which is its limit, and was stopped.', code: 'timeout' };
    const late = await readSaved('codex', raw, { end: { reason: 'timeout', error } });
    expect(late.slice(-2)).toMatchObject([
      { type: 'error', ...error, fatal: true },
      { type: 'harness_end', reason: 'timeout' },
    ]);
  });

  it('may be none when the end of the run is known', async () => {
    const error = { message: 'Codex is not installed.', code: 'not_installed' };
    expect(await readSaved('codex', '', { end: { reason: 'error', error } })).toMatchObject([
      { type: 'harness_start', agentId: 'codex' },
      { type: 'error', ...error, fatal: true },
      { type: 'harness_end', reason: 'error' },
    ]);
  });
});
