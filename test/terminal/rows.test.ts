import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { SqliteLog } from '../../src/log/index.ts';
import { call, useChats } from './chat-scene.ts';

const start = useChats();

const edit = call('edit', { path: 'a.js', old_string: 'a - b', new_string: 'a + b' });
const linkedAnswer =
  'See [the docs](https://example.org/a) and [this](javascript:x) and [that](https://e.org/\u001b]0;owned\u0007).';

describe('rows', () => {
  it('link files and pages where the terminal shows links, and mark the words that changed', async () => {
    const scene = await start([edit, linkedAnswer], { args: ['--yolo'], env: { FORCE_HYPERLINK: '1' } });
    writeFileSync(join(scene.cwd, 'a.js'), 'const f = (a, b) => a - b;\n');
    await scene.say('fix it');
    await scene.shows('See the docs');
    await scene.until(() => scene.bytes.includes('\u001b]8;;https://example.org/a\u001b\\'));
    expect(scene.bytes).toContain(`\u001b]8;;file://${scene.cwd}/a.js\u001b\\a.js\u001b]8;;\u001b\\`);
    expect(scene.bytes).toContain('\u001b[32;7m+\u001b[0m');
    expect(scene.bytes).not.toContain(']8;;javascript');
    expect(scene.bytes).not.toContain('owned\u0007');
    expect(scene.scrollback().join('\n')).toContain('• Edited a.js · +1 −1');
  });

  it('have no links elsewhere, and less of calls when the person wants it quiet', async () => {
    const output = call('bash', { command: 'seq 3' });
    const scene = await start([edit, output, linkedAnswer, output, 'Full.'], {
      args: ['--yolo'],
      config: "export default { chat: { density: 'quiet' } };",
    });
    writeFileSync(join(scene.cwd, 'a.js'), 'const f = (a, b) => a - b;\n');
    await scene.say('fix it');
    await scene.shows('See the docs (https://example.org/a)');
    expect(scene.bytes).not.toContain('\u001b]8;');
    const quiet = scene.scrollback().join('\n');
    expect(quiet).toMatch(/• Edited a\.js · \+1 −1.*\n• Ran \$ seq 3.*\n… 3 lines hidden \(Ctrl\+O\) …\n/);
    await scene.rest();
    await scene.say('/density full');
    await scene.shows('Density: full.');
    await scene.say('again');
    await scene.shows('Full.');
    expect(scene.scrollback().join('\n')).toMatch(/• Ran \$ seq 3.*\n1\n2\n3\n/);
  });
});

describe('a summary of earlier messages', () => {
  it('is a row that can be opened, and gone back to before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'singletree-summary-'));
    const file = join(folder, 'store.db');
    const turn = (number: number, more: AgentEvent[] = []): AgentEvent[] => [
      { type: 'user', runId: `u${number}`, content: `question ${number}` },
      { type: 'harness_start', runId: `r${number}`, agentId: 'coder', parentId: `u${number}:user` },
      ...more,
      { type: 'text', runId: `r${number}`, id: `r${number}/t`, content: `answer ${number}` },
      { type: 'harness_end', runId: `r${number}`, agentId: 'coder', reason: 'complete' },
    ];
    const covers = { from: 'u1', to: 'r1' };
    const log = new SqliteLog(file);
    await log.createThread({ id: 'summarised', resourceId: 'default' });
    await log.append('summarised', [
      ...turn(1),
      ...turn(2, [{ type: 'summary', runId: 'r2', id: 's', covers, text: 'The **gist** of it.', kind: 'compaction' }]),
    ]);
    await log.close();
    try {
      const scene = await start(['Newly answered.'], { args: ['coder', '--resume', 'summarised', '--db', file] });
      await scene.shows('answer 2');
      const text = scene.scrollback().join('\n');
      expect(text).toContain('≡ Earlier messages were summarised for the agent');
      expect(text).toContain('answer 1');
      scene.type('\u000f');
      await scene.shows('q close');
      scene.type('\r');
      await scene.shows('The gist of it.');
      scene.type('q');
      await scene.until(() => !scene.isAlternate);
      await scene.say('/expand');
      await scene.shows('Went back.');
      await scene.shows(/^› question 2\nBuild/m);
      scene.type('\r');
      await scene.shows('Newly answered.');
      const { messages } = scene.server.requests.at(-1)?.seen ?? {};
      expect(JSON.stringify(messages)).toContain('answer 1');
      expect(JSON.stringify(messages)).not.toContain('gist');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
