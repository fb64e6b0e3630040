import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Harness } from '../../src/control/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { HandOverScene, newSessions, turns } from './support/hand-over-scene.ts';
import { installPrograms, isTried, programsReady } from './support/real-program.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const names = ['claude', 'codex', 'pi'];
const pairs = [...names, 'own'].flatMap(from => names.filter(to => to !== from).map(to => ({ from, to })));

describe.skipIf(!programsReady('hand over between real programs', names))('a conversation that is handed over', () => {
  beforeAll(() => installPrograms(names), 600_000);
  let scene: HandOverScene | undefined;
  const open = async () => (scene = await HandOverScene.open());
  afterEach(async () => {
    await scene?.close();
    scene = undefined;
  });

  it.each(pairs)(
    'continues from $from in $to with every call and result, and back',
    { timeout: 120_000 },
    async ({ from, to }) => {
      const { turn, cool, written } = bound(await open());
      await turn(from, 1);
      const second = await turn(to, 2);
      expect(second.asked).toEqual([...turns([1]), 'user: LOOK-2']);
      expect(newSessions(second.events)).toEqual([]);
      expect(second.outcome).toBe('complete');
      await cool();
      expect((await turn(to, 3)).asked, 'in a new process').toEqual([...turns([1, 2]), 'user: LOOK-3']);
      expect(written(to)).toHaveLength(1);
      const back = await turn(from, 4);
      expect(back.asked).toEqual([...turns([1, 2, 3]), 'user: LOOK-4']);
      expect(newSessions(back.events)).toEqual([]);
    },
  );

  it.each(names)(
    'is continued by %s in print mode, from a session of either channel',
    { timeout: 120_000 },
    async name => {
      const { turn } = bound(await open());
      await turn('own', 1);
      expect((await turn(name, 2, { channel: 'print' })).asked).toEqual([...turns([1]), 'user: LOOK-2']);
      expect((await turn(name, 3)).asked, 'live').toEqual([...turns([1, 2]), 'user: LOOK-3']);
      await turn('own', 4);
      await turn(name, 5);
      expect((await turn(name, 6, { channel: 'print' })).asked, 'print').toEqual([
        ...turns([1, 2, 3, 4, 5]),
        'user: LOOK-6',
      ]);
    },
  );

  it.each(names)('is rebuilt for %s from the log when its session is lost', { timeout: 120_000 }, async name => {
    const scene = await open();
    const { turn, cool, written } = bound(scene);
    await turn('own', 1);
    await turn(name, 2);
    await cool();
    rmSync(scene.sessionFolder, { recursive: true });
    const next = await turn(name, 3);
    expect(next.asked).toEqual([...turns([1, 2]), 'user: LOOK-3']);
    expect(newSessions(next.events)).toEqual([]);
    expect(written(name)).toHaveLength(1);
  });

  it('continues a branch in the middle with what it has, whatever came later', { timeout: 120_000 }, async () => {
    const scene = await open();
    const { turn } = bound(scene);
    await turn('claude', 1);
    const { length } = await scene.log.read(scene.threadId);
    await turn('codex', 2);
    scene.threadId = (await scene.log.branch(scene.threadId, length)).id;
    expect((await turn('pi', 3)).asked).toEqual([...turns([1]), 'user: LOOK-3']);
    expect((await turn('claude', 4)).asked).toEqual([...turns([1, 3]), 'user: LOOK-4']);
  });

  it.each(names)('tells %s that an aborted call was interrupted', { timeout: 120_000 }, async name => {
    const scene = await open();
    await scene.abort(name === 'codex' ? 'pi' : 'codex', 9);
    const { asked } = await scene.turn(name, 2);
    expect(asked.slice(0, 3)).toEqual(['user: LOOK-9', 'assistant: Looking 9', 'call 1: output-9']);
    expect(asked[3]).toMatch(/^result 1: .*(interrupt|abort|stopped|unknown)/i);
    expect(asked.slice(4)).toEqual(['user: LOOK-2']);
  });

  it.each(names)('gives %s a summary in place of what it covers', { timeout: 120_000 }, async name => {
    const scene = await open();
    const { events } = await scene.turn('own', 1);
    const [all, texts] = [await scene.log.read(scene.threadId), events.filter(event => event.type === 'text')];
    const user = all.find(event => event.type === 'user');
    const covers = { from: `${user?.runId}:user`, to: texts.at(-1)?.id ?? '' };
    await scene.log.append(scene.threadId, [
      { type: 'summary', runId: 'memory', id: 'summary', kind: 'compaction', text: 'SUMMARY-1', covers },
    ]);
    expect((await scene.turn(name, 2)).asked).toEqual(['user: SUMMARY-1', 'user: LOOK-2']);
  });

  it.each(names)(
    'gives %s a summary of a conversation that its window has no room for',
    {
      timeout: 120_000,
    },
    async name => {
      const scene = await open();
      const compaction = { threshold: 30, model: scriptedModel(() => 'SUMMARY-1') };
      await scene.turn('own', 1);
      const { asked, events } = await scene.turn(name, 2, { compaction });
      // What people wrote is kept word for word.
      expect(asked).toEqual(['user: LOOK-1', 'user: SUMMARY-1', 'user: LOOK-2']);
      expect(events.filter(event => event.type === 'warning' && event.code === 'conversation_condensed')).toHaveLength(
        1,
      );
      expect((await scene.turn(name, 3, { compaction })).asked).toEqual([
        ...asked.slice(0, 2),
        ...turns([2]),
        'user: LOOK-3',
      ]);
    },
  );

  it.each(names)('gives %s the pictures of earlier prompts', { timeout: 120_000 }, async name => {
    const scene = await open();
    await scene.turn('own', 1, { image: { data: picture, mediaType: 'image/png' } });
    expect((await scene.turn(name, 2)).asked).toEqual([...turns([1]), 'user: LOOK-2']);
    expect(scene.lastBody).toContain(picture);
  });

  it.each(names)('gives %s the answer of a subagent, and not its steps', { timeout: 120_000 }, async name => {
    const scene = await open();
    const [runId, child] = ['run', 'child'];
    await scene.log.append(scene.threadId, [
      { type: 'user', runId: 'prompt', content: 'LOOK-1' },
      { type: 'harness_start', runId, agentId: 'other', parentId: 'prompt:user' },
      { type: 'tool_call', runId, id: 'call', name: 'task', input: { task: 'output-1' } },
      { type: 'harness_start', runId: child, agentId: 'helper', parentId: 'call' },
      { type: 'text', runId: child, id: 'inner', content: 'Looking 7' },
      { type: 'harness_end', runId: child, agentId: 'helper', reason: 'complete' },
      { type: 'tool_result', runId, id: 'call', name: 'task', output: { context: 'output-1' } },
      { type: 'text', runId, id: 'answer', content: 'Done 1' },
      { type: 'harness_end', runId, agentId: 'other', reason: 'complete' },
    ]);
    expect((await scene.turn(name, 2)).asked).toEqual([
      'user: LOOK-1',
      'call 1: output-1',
      'result 1: output-1',
      'assistant: Done 1',
      'user: LOOK-2',
    ]);
  });

  it('is continued in two branches at once, by two agents and twice by one', { timeout: 120_000 }, async () => {
    const scene = await open();
    // Two first starts of Codex at once in one home fail, whatever they are asked.
    const { id: other } = await scene.log.createThread({});
    await scene.turn('codex', 2, { threadId: other });
    await scene.turn('claude', 1);
    const { length } = await scene.log.read(scene.threadId);
    const branches = await Promise.all(
      [3, 4, 5].map(async n => [n, (await scene.log.branch('thread', length)).id] as const),
    );
    const [first, second, third] = await Promise.all(
      branches.map(([n, threadId]) => scene.turn(n === 3 ? 'claude' : 'codex', n, { threadId })),
    );
    expect(
      [first, second, third].map(turn => turn?.outcome),
      JSON.stringify(second?.events),
    ).toEqual(['complete', 'complete', 'complete']);
    expect(first?.asked).toEqual([...turns([1]), 'user: LOOK-3']);
    expect(second?.asked).toEqual([...turns([1]), 'user: LOOK-4']);
    expect(third?.asked).toEqual([...turns([1]), 'user: LOOK-5']);
  });

  it('goes from one program to another and back with the command, without a terminal', {
    timeout: 120_000,
  }, async () => {
    const scene = await open();
    const env = scene.commandEnvironment(['claude', 'codex']);
    const run = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, [command, 'run', ...args], { cwd: scene.cwd, env, timeout: 60_000 }))
        .stdout;
    expect(await run('claude', 'LOOK-1', '--yolo')).toContain('Done 1.');
    expect(await run('codex', 'LOOK-2', '--yolo', '--continue', 'last')).toContain('Done 2.');
    expect(await run('claude', 'LOOK-3', '--yolo', '--continue', 'last')).toContain('Done 3.');
    expect(scene.asked('claude', 3)).toEqual([...turns([1, 2]), 'user: LOOK-3']);
  });

  it('branches with the command after a message into another program, in a worktree of its own', {
    timeout: 120_000,
  }, async () => {
    const scene = await open();
    const env = scene.commandEnvironment(['claude', 'codex']);
    const git = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    for (const args of [
      ['init', '-q'],
      [...git, 'commit', '-q', '--allow-empty', '-m', 'Begin'],
    ])
      await promisify(execFile)('git', args, { cwd: scene.cwd });
    const run = async (...args: string[]) => {
      const all = [command, 'run', ...args, '--yolo', '--json'];
      const { stdout } = await promisify(execFile)(process.execPath, all, { cwd: scene.cwd, env, timeout: 60_000 });
      return JSON.parse(stdout) as { readonly runId: string; readonly threadId: string };
    };
    const first = await run('claude', 'LOOK-1');
    await run('claude', 'LOOK-2', '--continue', first.threadId);
    const branch = ['--continue', first.threadId, '--at', first.runId, '--worktree'];
    const second = await run('codex', 'LOOK-3', ...branch);
    expect(second.threadId).not.toBe(first.threadId);
    expect(scene.asked('codex', 3)).toEqual([...turns([1]), 'user: LOOK-3']);
    expect(/<cwd>[^<]*worktrees[^<]*<\/cwd>/.test(scene.lastBody)).toBe(true);
    await run('claude', 'LOOK-4', '--continue', first.threadId);
    expect(scene.asked('claude', 4)).toEqual([...turns([1, 2]), 'user: LOOK-4']);
    expect(scene.lastBody.includes(`working directory: ${scene.cwd}\\n`)).toBe(true);
    await expect(run('codex', 'LOOK-5', '--continue', first.threadId, '--at', 'nothing')).rejects.toMatchObject({
      stderr: expect.stringContaining('has no message "nothing"') as string,
    });
  });

  it.each(names)('is handed to %s by a Harness whose mode has it as its agent', { timeout: 120_000 }, async name => {
    const scene = await open();
    const modes = [
      { id: 'first', default: true, agent: scene.agent('own') },
      { id: 'second', agent: scene.agent(name) },
    ];
    const harness = new Harness({ id: 'harness', modes });
    await harness.sendMessage({ content: 'LOOK-1' });
    await harness.switchMode({ modeId: 'second' });
    await harness.sendMessage({ content: 'LOOK-2' });
    expect(scene.asked(name, 2)).toEqual([...turns([1]), 'user: LOOK-2']);
    await harness.switchMode({ modeId: 'first' });
    await harness.sendMessage({ content: 'LOOK-3' });
    expect(scene.asked('own', 3)).toEqual([...turns([1, 2]), 'user: LOOK-3']);
  });

  it('writes a new session after a run that ended between writing and resuming', { timeout: 120_000 }, async () => {
    const { turn, written } = bound(await open());
    await turn('own', 1);
    const killed = await turn('claude', 2, { executable: '/bin/false' });
    expect(killed.asked).toEqual([]);
    expect(written('claude')).toHaveLength(1);
    expect((await turn('claude', 3)).asked).toEqual([...turns([1]), 'user: LOOK-2', 'user: LOOK-3']);
  });

  it('is written again after the command was killed between writing and resuming', { timeout: 120_000 }, async () => {
    const scene = await open();
    const env = scene.commandEnvironment(['claude', 'codex']);
    const options = { cwd: scene.cwd, env, timeout: 60_000 };
    const run = (...args: string[]) => promisify(execFile)(process.execPath, [command, 'run', ...args], options);
    await run('claude', 'LOOK-1', '--yolo');
    // A program that does not begin.
    const stuck = join(scene.folder, 'stuck');
    mkdirSync(stuck);
    writeFileSync(join(stuck, 'codex'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o700 });
    const killed = spawn(process.execPath, [command, 'run', 'codex', 'LOOK-2', '--yolo', '--continue', 'last'], {
      cwd: scene.cwd,
      env: { ...env, PATH: `${stuck}${delimiter}${env['PATH']}` },
      stdio: 'ignore',
    });
    const sessions = join(env['SINGLETREE_HOME'] ?? '', 'sessions', 'codex');
    const findWritten = () => (existsSync(sessions) ? readdirSync(sessions) : []);
    await vi.waitFor(() => expect(findWritten()).toHaveLength(1), 30_000);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(scene.asked('codex', 2)).toEqual([]);
    expect((await run('codex', 'LOOK-3', '--yolo', '--continue', 'last')).stdout).toContain('Done 3.');
    expect(scene.asked('codex', 3)).toEqual([...turns([1]), 'user: LOOK-2', 'user: LOOK-3']);
  });

  it('is written into the prompt with calls and results when no session can be written', {
    timeout: 120_000,
  }, async () => {
    const { turn } = bound(await open());
    await turn('own', 1);
    const { asked, events } = await turn('claude', 2, { sessionFolder: '/dev/null/sessions' });
    expect(asked.every(line => line.startsWith('user: '))).toBe(true);
    expect(asked).toContain('user: Done 1');
    expect(newSessions(events)).toMatchObject([
      { message: expect.stringContaining('could not be written: ENOTDIR') as string },
    ]);
  });
});

const readers = ['qwen', 'copilot'].filter(isTried);

describe.skipIf(readers.length === 0 || !programsReady('hand over by prompt', readers))('an agent without', () => {
  beforeAll(() => installPrograms(readers), 600_000);

  it.each(readers)('sessions of others reads calls and results in its prompt: %s', { timeout: 120_000 }, async name => {
    const scene = await HandOverScene.open();
    try {
      await scene.turn('own', 1);
      const { asked, events } = await scene.turn(name, 2);
      expect(asked).toEqual(['LOOK-1', 'Looking 1', 'Done 1', 'LOOK-2'].map(mark => `user: ${mark}`));
      expect(scene.bodies.some(body => body.includes('[Result: output-1]'))).toBe(true);
      expect(newSessions(events)).toHaveLength(1);
    } finally {
      await scene.close();
    }
  });
});

function bound(scene: HandOverScene) {
  return {
    turn: scene.turn.bind(scene),
    cool: scene.cool.bind(scene),
    written: scene.written.bind(scene),
    abort: scene.abort.bind(scene),
  };
}
