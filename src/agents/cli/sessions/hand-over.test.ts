import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../projections/message.ts';
import { claudeAdapter } from '../adapters/claude/adapter.ts';
import { geminiAdapter } from '../adapters/gemini/adapter.ts';
import { gooseAdapter } from '../adapters/goose/adapter.ts';
import { clineAdapter } from '../adapters/cline/adapter.ts';
import { opencodeAdapter } from '../adapters/opencode/adapter.ts';
import { findUsableSession, writeHandOver } from './hand-over.ts';
import type { SessionUse } from './session-record.ts';
import { removeWrittenSessions } from './remove-sessions.ts';

const messages: readonly Message[] = [
  { role: 'user', content: 'Which bird?' },
  { role: 'assistant', content: [{ type: 'text', text: 'The heron.' }] },
  { role: 'user', content: 'And now?' },
];

let home = '';
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'singletree-hand-over-'))));
afterEach(() => rmSync(home, { recursive: true }));

const use = (adapter: SessionUse['adapter'], more: Partial<SessionUse> = {}): SessionUse => ({
  adapter,
  channel: 'live',
  folder: join(home, 'sessions'),
  cwd: home,
  model: undefined,
  executable: '/bin/false',
  environment: { HOME: home, PATH: process.env['PATH'] ?? '' },
  runId: 'run',
  runMark: undefined,
  signal: new AbortController().signal,
  ...more,
});

/** A program that does what a line of shell says. */
function program(line: string): string {
  const path = join(home, 'program');
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o700);
  return path;
}

describe('a session that is written for a run', () => {
  it('is a file in the folder for a program that takes its path, until its run is removed', async () => {
    const session = await writeHandOver(use(claudeAdapter), messages);
    const { id = '', path = '' } = session !== undefined && 'id' in session ? session : {};
    expect(path.startsWith(join(home, 'sessions', 'claude', id))).toBe(true);
    expect(await findUsableSession(use(claudeAdapter), messages, { id, known: 2 })).toEqual({ id, known: 2, path });
    await removeWrittenSessions(join(home, 'sessions'), ['another']);
    expect(existsSync(path)).toBe(true);
    await removeWrittenSessions(join(home, 'sessions'), ['run']);
    expect(readdirSync(join(home, 'sessions', 'claude'))).toEqual([]);
  });

  it('replaces a session that lacks turns of other agents', async () => {
    expect(await findUsableSession(use(claudeAdapter), messages, { id: 'own', known: 1 })).toBeUndefined();
    expect(await findUsableSession(use(claudeAdapter), messages, { id: 'own', known: 2 })).toEqual({
      id: 'own',
      known: 2,
    });
  });

  it('is imported by a program with a database, under the id that the program reports', async () => {
    const executable = program('test -f "$3" && echo "Session imported:" && echo "20260101_7 - name"');
    expect(await writeHandOver(use(gooseAdapter, { executable }), messages)).toEqual({
      id: '20260101_7',
      known: 2,
      isNew: true,
    });
    expect(readdirSync(join(home, 'sessions', 'goose', '20260101_7'))).toEqual(['session.json']);
  });

  it('is removed by the program from its own store, and its record in any case', async () => {
    const place = join(home, 'sessions', 'opencode');
    const write = async (executable: string) => {
      const written = await writeHandOver(use(opencodeAdapter, { executable, model: 'a/b' }), messages);
      return written !== undefined && 'id' in written ? written.id : '';
    };
    const id = await write(program('test "$1" = import || echo "$@" >> removed'));
    expect(await removeWrittenSessions(join(home, 'sessions'), ['run'])).toEqual([]);
    expect(readFileSync(join(home, 'removed'), 'utf8')).toBe(`session delete ${id}\n`);
    expect(readdirSync(place)).toEqual([]);
    await write(program('test "$1" = import || { echo "Session not found"; exit 1; }'));
    expect(await removeWrittenSessions(join(home, 'sessions'), ['run'])).toEqual([]);
    const kept = await write(program('test "$1" = import || { echo "the database is locked"; exit 1; }'));
    expect(await removeWrittenSessions(join(home, 'sessions'), ['run'])).toEqual([
      `OpenCode did not remove its session ${kept}: the database is locked`,
    ]);
    expect(readdirSync(place)).toEqual([]);
  });

  it('names the model of the settings to a program that continues with the model of its session', async () => {
    const executable = program('cp "$2" imported');
    expect(await writeHandOver(use(opencodeAdapter, { executable }), messages)).toBeUndefined();
    writeFileSync(join(home, 'opencode.json'), JSON.stringify({ model: 'provider/some/model' }));
    expect(await writeHandOver(use(opencodeAdapter, { executable }), messages)).toMatchObject({ known: 2 });
    const imported = readFileSync(join(home, 'imported'), 'utf8');
    expect(imported).toContain('"model":{"providerID":"provider","modelID":"some/model"}');
  });

  it.each([
    ['echo "the database is locked" >&2; exit 1', 'Goose did not import it: the database is locked'],
    ['exit 3', 'Goose did not import it: exit code 3'],
    ['echo done', 'Goose did not import it: done'],
  ])('is reported as a problem when the program fails: %s', async (line, problem) => {
    expect(await writeHandOver(use(gooseAdapter, { executable: program(line) }), messages)).toEqual({ problem });
  });

  it('is among the sessions of a program that finds it only there', async () => {
    const cline = await writeHandOver(use(clineAdapter), messages);
    const { id = '' } = cline !== undefined && 'id' in cline ? cline : {};
    const manifest = readFileSync(join(home, '.cline/data/sessions', id, `${id}.json`), 'utf8');
    expect(manifest).toContain(join(home, '.cline/data/sessions', id, `${id}.messages.json`));
    expect(
      await findUsableSession(use(clineAdapter, { channel: 'print' }), messages, { id, known: 2 }),
    ).toBeUndefined();
    for (const _ of [1, 2]) await writeHandOver(use(geminiAdapter), messages);
    const [project = '', ...others] = readdirSync(join(home, '.gemini/tmp'));
    expect(others).toEqual([]);
    expect(readFileSync(join(home, '.gemini/tmp', project, '.project_root'), 'utf8')).toBe(home);
    expect(readdirSync(join(home, '.gemini/tmp', project, 'chats'))).toHaveLength(2);
    writeFileSync(join(home, '.gemini/tmp', project, 'chats', 'session-own-12345678.jsonl'), '');
    await removeWrittenSessions(join(home, 'sessions'), ['run']);
    expect(readdirSync(join(home, '.gemini/tmp', project, 'chats'))).toEqual(['session-own-12345678.jsonl']);
    expect(existsSync(join(home, '.cline/data/sessions', id))).toBe(false);
  });

  it('is not written for the print mode of a program that resumes nothing there', async () => {
    expect(await writeHandOver(use(clineAdapter, { channel: 'print' }), messages)).toBeUndefined();
  });
});
