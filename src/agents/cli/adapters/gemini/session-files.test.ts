import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadDelay, readPlanFile } from './session-files.ts';
import { geminiSettings } from './settings-file.ts';

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

describe('the settings of Gemini', () => {
  it('switch the clean-up of sessions off and keep the rest', () => {
    const path = join(home, 'system.json');
    writeFileSync(path, JSON.stringify({ tools: { exclude: ['x'] }, general: { vimMode: true } }));
    expect(JSON.parse(geminiSettings({ GEMINI_CLI_SYSTEM_SETTINGS_PATH: path }))).toEqual({
      tools: { exclude: ['x'] },
      general: { vimMode: true, sessionRetention: { enabled: false } },
    });
  });

  it('are refused when those of the machine cannot be read', () => {
    const path = join(home, 'broken.json');
    writeFileSync(path, '{ // no');
    expect(() => geminiSettings({ GEMINI_CLI_SYSTEM_SETTINGS_PATH: path })).toThrow(/cannot be read/);
  });
});
