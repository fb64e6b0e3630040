import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { relayText } from '../src/cli/relay-prompts/relay-text.ts';
import type { EventOf } from '../src/events/index.ts';
import { presentCall } from '../src/projections/presentation/present-call.ts';
import { presentAnswer, presentRelay } from '../src/projections/presentation/present-relay.ts';
import { emptyComposer } from '../src/terminal/composer/composer.ts';
import { textOfLine } from '../src/terminal/screen/styled-line.ts';
import { newBand } from '../src/terminal/session/relay-band.ts';
import { bandLines } from '../src/terminal/session/relay-lines.ts';
import { presentedAnswers, presentedCalls, presentedFolder, presentedRelays } from './support/presented.ts';

const cwd = presentedFolder;
const asked = (relay: object) => ({ type: 'relay', runId: 'r', id: 'q', ...relay }) as EventOf<'relay'>;
const words = (lines: readonly string[]) =>
  lines
    .join(' ')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** What the chat shows of a relay, without its keys. */
function chatLines(relay: EventOf<'relay'>, agentId: string): readonly string[] {
  const entry = { id: 'q', runId: 'r', status: 'pending' as const, relay };
  const place = { index: 0, count: 1, width: 110, most: 60, place: { agentId, cwd }, takesKeys: false };
  const lines = bandLines(entry, { ...newBand(entry, emptyComposer), focus: 'keys', isLarge: true }, place);
  return lines.slice(0, -1).map(line => textOfLine(line));
}

describe('what a person reads', () => {
  it('is tested with 40 calls and questions and more', () => {
    expect(presentedRelays.length + presentedCalls.length + presentedAnswers.length).toBeGreaterThan(40);
  });

  it.each(presentedRelays)('is the same in run, inbox and chat: %s %j', (agentId, given, text) => {
    const relay = asked(given);
    expect(relayText(relay, { place: { agentId, cwd } }).trimEnd().split('\n')).toEqual(text);
    const chat = words(chatLines(relay, agentId))
      .replace(' Enter does not approve it', '')
      .replace(/^Question /, '');
    const { risks } = presentRelay(relay, { agentId, cwd });
    for (const each of [...text.map(line => line.trim()), ...risks]) expect(chat).toContain(words([each]));
  });

  it.each(presentedCalls)('is one line about a call: %s %j', (agentId, call, line) => {
    const { verb, object } = presentCall(call, { agentId, cwd });
    expect(`${verb} ${object}`).toBe(line);
  });

  it.each(presentedAnswers)('is where a request stands: %j', ({ answer, ...standing }, text) => {
    const resolved =
      answer && ({ type: 'relay_resolved', runId: 'r', relayId: 'q', ...answer } as EventOf<'relay_resolved'>);
    const relay = asked({ relayKind: 'permission', toolCallId: 'c', tool: 'bash', params: {} });
    expect(presentAnswer({ relay, ...standing, ...(resolved && { answer: resolved }) })).toBe(text);
  });

  it('never names the tools with which an agent of ours speaks to a person, nor a relay', () => {
    const shown = [...presentedRelays.flatMap(([, , text]) => text), ...presentedCalls.map(([, , line]) => line)];
    expect(shown.filter(line => /ask_user|submit_plan|task_write|\brelay\b/.test(line))).toEqual([]);
  });
});

it('has one list of the names that agents give to the texts of an edit', () => {
  const spellings = /['"`.|](?:old_string|oldString|old_str|oldText|old_text)\b/;
  const files = ['src', 'web/src']
    .flatMap(folder => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`))
    .filter(file => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .filter(file => !/^src\/agents\/(?:cli\/adapters|tools\/files)\//.test(file));
  const lists = files.filter(file => new Set(readFileSync(file, 'utf8').match(new RegExp(spellings, 'g'))).size > 1);
  expect(lists).toEqual(['src/projections/activity/file-changes.ts']);
});

it('offers the answers in one order with one key each', () => {
  const permission = asked({ relayKind: 'permission', toolCallId: 'c', tool: 'bash', category: 'execute', params: {} });
  const keys = (relay: EventOf<'relay'>) => presentRelay(relay).answers.map(({ key, label }) => `${key} ${label}`);
  expect(keys(permission)).toEqual(['y once', 't this thread', 'c always', 'e edit', 'n reject']);
  expect(keys({ ...permission, answers: ['approve', 'reject'] })).toEqual([
    'y once',
    't this thread',
    'c always',
    'n reject',
  ]);
  expect(keys(asked({ ...permission, personOnly: true }))).toEqual(['y once', 'e edit', 'n reject']);
});
