import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtCommand } from './support/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'singletree-export-'));
afterAll(() => rmSync(folder, { recursive: true }));
const { singletree } = builtCommand(undefined, { HOME: folder });

/** Exports a conversation whose run reported this model; returns what the command printed, and the document. */
function exportRun(program: string, file: string, model?: string) {
  const time = '2026-01-01T00:00:00.000Z';
  const events = [
    { type: 'user', runId: 'asked', content: 'Which bird?' },
    { type: 'harness_start', runId: 'run', agentId: 'own', parentId: 'asked:user', model },
    { type: 'text', runId: 'run', id: 't', content: 'The heron.' },
    { type: 'harness_end', runId: 'run', agentId: 'own', reason: 'complete' },
  ];
  const log = join(folder, `${file}.jsonl`);
  writeFileSync(
    log,
    events.map((event, index) => `${JSON.stringify({ ...event, seq: index + 1, ts: time })}\n`).join(''),
  );
  expect(singletree('import', log).status).toBe(0);
  const path = join(folder, `${file}.json`);
  const { status, stderr } = singletree('export', 'last', '--format', program, '-o', path);
  expect(status).toBe(0);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('The heron.');
  const { messages } = JSON.parse(text) as { messages: { info: { model?: object } }[] };
  return { stderr, models: messages.flatMap(({ info }) => info.model ?? []) };
}

describe.each(['opencode', 'kilo'])(
  'singletree export for %s, which continues with the model of the last message',
  program => {
    it('names the model of the conversation', () => {
      const { stderr, models } = exportRun(program, `${program}-known`, 'anthropic/claude-sonnet-5');
      expect(models).toEqual([{ providerID: 'anthropic', modelID: 'claude-sonnet-5' }]);
      expect(stderr).not.toContain('--model');
    });

    it('says that it has to be given a model when none is known', () => {
      const { stderr, models } = exportRun(program, `${program}-unknown`);
      expect(stderr).toMatch(new RegExp(`^Continue it: ${program} import \\S+ && .* --model PROVIDER/MODEL$`, 'm'));
      expect(models).toEqual([{ providerID: 'singletree', modelID: 'none' }]);
    });

    it('names the model of its settings when that of the conversation is not known', () => {
      const settings = join(folder, '.config', program);
      mkdirSync(settings, { recursive: true });
      writeFileSync(join(settings, `${program}.json`), JSON.stringify({ model: 'mine/large' }));
      const { stderr, models } = exportRun(program, `${program}-own`, 'large');
      expect(models).toEqual([{ providerID: 'mine', modelID: 'large' }]);
      expect(stderr).not.toContain('--model');
    });
  },
);
