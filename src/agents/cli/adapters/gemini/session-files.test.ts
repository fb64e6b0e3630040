import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadDelay, readPlanFile, removeEmptyRecordings } from './session-files.ts';

const home = mkdtempSync(join(tmpdir(), 'gemini-home-'));
const environment = { HOME: home };
const sessionId = '12345678-aaaa-bbbb-cccc-123456789012';
const project = join(home, '.gemini', 'tmp', 'project');
const created = Date.parse('2026-01-01T10:00:20Z');

mkdirSync(join(project, 'chats'), { recursive: true });
writeFileSync(join(project, 'chats', 'session-2026-01-01T10-00-12345678.jsonl'), '');
afterAll(() => rmSync(home, { recursive: true }));

describe('the load of a session of Gemini', () => {
  it('waits for the minute after its creation', () => {
    expect(loadDelay(sessionId, environment, created)).toBe(41_000);
  });

  it('waits for nothing later, or for another session', () => {
    expect(loadDelay(sessionId, environment, created + 60_000)).toBe(0);
    expect(loadDelay('87654321-aaaa', environment, created)).toBe(0);
    expect(loadDelay(sessionId, { HOME: '/nowhere' }, created)).toBe(0);
  });
});

describe('the plan of Gemini', () => {
  const plans = join(project, sessionId, 'plans');

  it('is read from the plans of the session', () => {
    mkdirSync(plans, { recursive: true });
    writeFileSync(join(plans, 'plan.md'), '# Plan\n');
    expect(readPlanFile(join(plans, 'plan.md'), sessionId, environment)).toBe('# Plan\n');
  });

  it('is read from nowhere else', () => {
    writeFileSync(join(home, 'secret.md'), 'secret');
    expect(readPlanFile(join(home, 'secret.md'), sessionId, environment)).toBeUndefined();
    expect(
      readPlanFile(join(plans, '..', '..', '..', '..', '..', 'secret.md'), sessionId, environment),
    ).toBeUndefined();
    expect(readPlanFile(join(plans, 'plan.md'), 'another', environment)).toBeUndefined();
  });
});

describe('the recordings of Gemini', () => {
  const header = (id: string) => `{"sessionId":"${id}","kind":"main"}\n{"$set":{"messages":[]}}\n`;
  const recording = (name: string, content: string) => writeFileSync(join(project, 'chats', name), content);

  it('that a load left empty are removed, and the conversation stays', () => {
    const id = 'aaaaaaaa-0000';
    recording('session-2026-01-01T10-00-aaaaaaaa.jsonl', `${header(id)}{"id":"1","type":"user","content":[]}\n`);
    recording('session-2026-01-01T10-01-aaaaaaaa.jsonl', header(id));
    recording('session-2026-01-01T10-01-bbbbbbbb.jsonl', header('bbbbbbbb-0000'));
    removeEmptyRecordings(id, environment);
    const left = readdirSync(join(project, 'chats')).filter(name => /aaaaaaaa|bbbbbbbb/.test(name));
    expect(left).toEqual(['session-2026-01-01T10-00-aaaaaaaa.jsonl', 'session-2026-01-01T10-01-bbbbbbbb.jsonl']);
  });

  it('stay when none has a message, or the home has none', () => {
    removeEmptyRecordings('bbbbbbbb-0000', environment);
    removeEmptyRecordings('bbbbbbbb-0000', { HOME: '/nowhere' });
    expect(readdirSync(join(project, 'chats'))).toContain('session-2026-01-01T10-01-bbbbbbbb.jsonl');
  });
});
