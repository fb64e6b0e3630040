// oxlint-disable no-control-regex
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SqliteLog } from '../src/log/index.ts';
import { CoderScene } from './support/coder-scene.ts';
import { builtCommand } from './support/command.ts';

const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/;
const hostile = 'attack\r\u001b[20A\u001b[0J\u001b]0;title\u0007\u009b2J\u202egnp\u2066\u200f\u061c\u007f';

describe('a thread and arguments that attack the terminal', () => {
  const { home, singletree } = builtCommand();
  beforeAll(async () => {
    const log = new SqliteLog(join(home, 'singletree.db'));
    const { id } = await log.createThread({ title: hostile, metadata: { agentId: hostile, 'relay:q': true } });
    const [runId, call, relay] = [`run ${hostile}`, `call ${hostile}`, `relay ${hostile}`];
    await log.append(id, [
      { type: 'user', runId: 'asked', content: hostile, by: hostile },
      { type: 'harness_start', runId, parentId: 'asked:user', agentId: hostile, cwd: `/${hostile}` },
      { type: 'text', runId, id: 'text', content: hostile },
      { type: 'tool_call', runId, id: call, name: hostile, input: { [hostile]: hostile } },
      { type: 'tool_result', runId, id: call, name: hostile, output: { context: hostile } },
      { type: 'warning', runId, message: hostile },
      { type: 'error', runId, message: hostile },
      { type: 'relay', runId, id: relay, relayKind: 'question', question: hostile, options: [{ label: hostile }] },
      {
        type: 'custom',
        runId,
        name: 'checkpoint',
        data: { toolCallId: call, workTree: home, files: [{ path: hostile, after: `100644 ${'0'.repeat(39)}1` }] },
      },
    ]);
    await log.close();
    const project = { mcpServers: { [hostile]: { command: hostile } }, skills: [hostile], store: hostile };
    mkdirSync(join(home, 'project'));
    writeFileSync(join(home, 'project', 'singletree.config.json'), JSON.stringify(project));
  });

  /** The words of a command line, in which HOSTILE and PROJECT stand for texts that cannot be printed here. */
  const words = (line: string) =>
    line.split(' ').map(word => word.replace('HOSTILE', hostile).replace('PROJECT', join(home, 'project')));

  it.each([
    ['threads', 0],
    ['show', 0],
    ['graph', 0],
    ['search attack', 0],
    ['inbox', 0],
    ['inbox show 1', 0],
    ['undo --preview', undefined],
    ['debug prompt --agent claude', 0],
    ['config --cwd PROJECT', 0],
    // Errors repeat what they were given.
    ['show HOSTILE', 2],
    ['threads --HOSTILE', 2],
    ['HOSTILE', 2],
    ['threads --limit HOSTILE', 2],
    ['run HOSTILE Hello', 2],
  ])('reach it from "%s" as words only', (line, status) => {
    const ended = singletree(...words(line));
    if (status !== undefined) expect([ended.status, ended.stderr]).toEqual([status, ended.stderr]);
    const printed = ended.stdout + ended.stderr;
    expect(printed).not.toMatch(unsafe);
    expect(printed).not.toBe('');
  });

  it.each(['threads', 'show', 'graph', 'search attack', 'inbox', 'export', 'debug prompt --agent claude'])(
    'are in the JSON of "%s" as they are, in escapes',
    line => {
      const { status, stdout } = singletree(...words(line), '--json');
      expect([status, stdout]).toEqual([0, expect.not.stringMatching(unsafe)]);
      const values = stdout
        .trim()
        .split('\n')
        .map(value => JSON.stringify(JSON.parse(value)));
      expect(values.join()).toContain(JSON.stringify(hostile).slice(1, -1));
    },
  );
});

it('prints an error that nothing caught as words only', () => {
  const { home, singletree } = builtCommand();
  const code = `queueMicrotask(() => { throw new Error(${JSON.stringify(hostile)}) }); export default {};`;
  writeFileSync(join(home, 'singletree.config.mjs'), code);
  const { status, stderr } = singletree('threads');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^singletree: Error: attack/);
  expect(stderr).not.toMatch(unsafe);
});

it('leaves every program of a folder in the trust question in sight', async () => {
  const scene = await CoderScene.open();
  try {
    const servers = { a: { command: 'run-evil' }, [hostile]: { url: `https://example.com/${hostile}` } };
    const project = JSON.stringify({ mcpServers: servers, skills: [`./${hostile}`, 'a\n  - sets nothing'] });
    writeFileSync(join(scene.repository, 'singletree.config.json'), project);
    const asked = scene.atTerminal('threads');
    await expect.poll(asked.printed, { timeout: 20_000 }).toContain('Trust this folder? [y/N]');
    const [question = ''] = asked.printed().replaceAll('\r\n', '\n').split('Trust this folder?');
    expect(question.match(/^ {2}- starts the program "run-evil" \(MCP server a\)$/gm)).toHaveLength(1);
    expect(question.match(/^ {2}- /gm)).toHaveLength(3);
    // The line of the answer is drawn by these two, which erase nothing above it.
    expect(question.replace(/\u001b\[1G\u001b\[0J$/, '')).not.toMatch(unsafe);
    asked.type('n\r');
    await asked.ended;
  } finally {
    await scene.close();
  }
}, 60_000);
