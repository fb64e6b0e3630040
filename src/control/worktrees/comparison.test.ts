import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitProject, type GitProject } from '../../../test/support/git-project.ts';
import type { Agent, CallableAgent } from '../../agents/contract/agent.ts';
import { coderAgent } from '../../agents/coder/coder-agent.ts';
import type { ScriptedTurn } from '../../agents/model/scripted/script.ts';
import { scriptedModel } from '../../agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { ThreadRewind } from '../rewind/rewind-thread.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { type ComparedRun, startComparison } from './comparison.ts';
import { Conversations } from '../conversations/conversations.ts';
import { ThreadWorktrees } from './thread-worktrees.ts';
import { Worktrees } from './worktrees.ts';

let project: GitProject;
let log: MemoryLog;
let control: Supervisor;

beforeEach(() => {
  project = gitProject({ 'a.txt': 'one\n' });
  log = new MemoryLog();
  control = new Supervisor({ log });
});
afterEach(() => project.remove());

/** The coding agent with a model that runs these commands, one in each turn. */
function coder(id: string, ...commands: string[]): CallableAgent {
  const turns = commands.flatMap((command): ScriptedTurn[] => [
    [{ toolCall: { name: 'bash', input: { command } } }],
    'Done.',
  ]);
  return coderAgent({
    id,
    model: scriptedModel(turns),
    cwd: project.folder,
    home: project.home,
    permissions: { default: 'allow', rules: [] },
  });
}

const named = (agents: readonly Agent[]) => agents.map(agent => ({ agent }));

async function compare(agents: readonly Agent[], setup?: string) {
  const worktrees = new Worktrees({ home: project.home, folder: project.folder, ...(setup && { setup }) });
  const runs = await startComparison({ log, control, worktrees }, { content: 'Do it.', agents: named(agents) });
  await Promise.all(runs.flatMap(({ run }) => run?.done ?? []));
  return {
    runs,
    worktrees,
    threads: new ThreadWorktrees({ log, conversations: new Conversations({ log }), worktrees }),
  };
}
const eventsOf = async (run: ComparedRun | undefined, type: string) =>
  (await log.read(run?.threadId ?? '')).filter(event => event.type === type) as never as Record<string, unknown>[];
const text = (folder = project.folder) => readFileSync(join(folder, 'a.txt'), 'utf8');

describe('a comparison', () => {
  it('runs each agent in a worktree of its own, which its log records', async () => {
    const { runs, threads } = await compare([coder('first', 'echo 1 >> a.txt'), coder('second', 'echo 2 >> a.txt')]);
    const [first, second] = runs;
    expect(text()).toBe('one\n');
    expect([text(first?.worktree?.folder), text(second?.worktree?.folder)]).toEqual(['one\n1\n', 'one\n2\n']);
    expect(await eventsOf(first, 'folder_changed')).toMatchObject([
      { folder: first?.worktree?.folder, worktree: { branch: first?.worktree?.branch, origin: project.folder } },
    ]);
    expect(await eventsOf(second, 'harness_start')).toMatchObject([{ cwd: second?.worktree?.folder }]);
    expect((await threads.state(second?.threadId ?? '')).files).toMatchObject([{ path: 'a.txt', added: 1 }]);
  });

  it('continues and undoes a thread in its worktree', async () => {
    const agent = coder('first', 'echo 1 >> a.txt', 'echo more >> a.txt');
    const { runs } = await compare([agent, coder('second', 'true')]);
    const [{ threadId, worktree }] = runs as [ComparedRun];
    await (await control.start(threadId, { agent, content: 'More.' })).done;
    expect([text(worktree?.folder), text()]).toEqual(['one\n1\nmore\n', 'one\n']);
    const undone = await new ThreadRewind({ log, snapshots: join(project.home, 'snapshots') }).undo(threadId);
    expect([undone.changed, text(worktree?.folder)]).toEqual([[join(worktree?.folder ?? '', 'a.txt')], 'one\n1\n']);
  });

  it('keeps one, and the thread continues in the original folder', async () => {
    const agent = coder('first', 'echo 1 >> a.txt', 'echo more >> a.txt');
    const { runs, threads } = await compare([agent, coder('second', 'echo 2 >> a.txt')]);
    const [first, second] = runs as [ComparedRun, ComparedRun];
    expect(await threads.keep(first.threadId)).toEqual(['a.txt']);
    expect(text()).toBe('one\n1\n');
    await threads.remove(first.threadId);
    await expect(threads.remove(second.threadId)).rejects.toMatchObject({ code: 'worktree_changed' });
    await threads.remove(second.threadId, { force: true });
    expect(runs.map(({ worktree }) => existsSync(worktree?.path ?? ''))).toEqual([false, false]);
    await (await control.start(first.threadId, { agent, content: 'More.' })).done;
    expect(text()).toBe('one\n1\nmore\n');
    expect(await eventsOf(second, 'folder_changed')).toMatchObject([
      {},
      { folder: project.folder, note: expect.stringContaining('was removed') },
    ]);
  });

  it('prepares each worktree with the setup command, whose files are no changes', async () => {
    const { runs, threads } = await compare(
      [coder('first', 'cat made.txt >> a.txt'), coder('second', 'true')],
      'echo made | tee made.txt',
    );
    const [first, second] = runs;
    expect(await eventsOf(first, 'custom')).toMatchObject([
      { name: 'setup', data: { command: 'echo made | tee made.txt', exitCode: 0, output: 'made\n' } },
      { name: 'checkpoint' },
    ]);
    expect(text(first?.worktree?.folder)).toBe('one\nmade\n');
    expect((await threads.state(first?.threadId ?? '')).files.map(({ path }) => path)).toEqual(['a.txt']);
    expect((await threads.state(second?.threadId ?? '')).isClean).toBe(true);
  });

  it('shows a setup that failed, and the agent works all the same', async () => {
    const { runs } = await compare(
      [coder('first', 'echo 1 >> a.txt'), coder('second', 'true')],
      'echo broken >&2; exit 3',
    );
    expect(await eventsOf(runs[0], 'error')).toMatchObject([
      { code: 'setup_failed', message: expect.stringMatching(/ended with code 3[\s\S]*broken/) },
    ]);
    expect([await runs[0]?.run?.done, text(runs[0]?.worktree?.folder)]).toEqual(['complete', 'one\n1\n']);
  });

  it('works in the same folder with a note where worktrees are not possible', async () => {
    const idle: Agent = {
      id: 'idle',
      async *invoke({ run: { runId } }) {
        yield { type: 'harness_start', runId, agentId: 'idle' };
        yield { type: 'harness_end', runId, agentId: 'idle' };
      },
    };
    const { runs } = await compare([idle, coder('second', 'true')]);
    expect(runs[0]).toMatchObject({ note: 'idle cannot work in a worktree: it uses its own folder' });
    const plain = new Worktrees({ home: project.home, folder: project.home });
    const others = await startComparison(
      { log, control, worktrees: plain },
      { content: 'Do it.', agents: named([coder('first', 'true'), coder('second', 'true')]) },
    );
    await Promise.all(others.flatMap(({ run }) => run?.done ?? []));
    expect(others.map(({ note }) => note)).toEqual(
      Array(2).fill(
        "The folder is not in a git repository: all agents work in the same folder and see each other's changes",
      ),
    );
  });

  it('reports an agent that cannot start, and starts the others', async () => {
    project.git(['branch', 'taken']);
    const worktrees = new Worktrees({ home: project.home, folder: project.folder });
    const runs = await startComparison(
      { log, control, worktrees },
      {
        content: 'Do it.',
        branch: 'taken',
        agents: named([coder('first', 'true'), coder('second', 'true')]),
      },
    );
    expect(runs.map(({ problem }) => problem)).toEqual(Array(2).fill(expect.stringContaining('cannot be used')));
    expect(await eventsOf(runs[0], 'error')).toMatchObject([{ code: 'not_started' }]);
    await expect(
      startComparison({ log, control, worktrees }, { content: 'x', agents: named([coder('one', 'true')]) }),
    ).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('does not continue in a worktree that was removed by hand', async () => {
    const agent = coder('first', 'true', 'echo 1 >> a.txt');
    const { runs } = await compare([agent, coder('second', 'true')]);
    const [first] = runs as [ComparedRun];
    project.git(['worktree', 'remove', '--force', first.worktree?.path ?? '']);
    expect(await (await control.start(first.threadId, { agent, content: 'More.' })).done).toBe('error');
    expect([text(), await eventsOf(first, 'error')]).toMatchObject(['one\n', [{ code: 'no_folder' }]]);
  });

  it('ignores the folder of an imported thread', async () => {
    const { id } = await log.createThread({ imported: true });
    await log.append(id, [{ type: 'folder_changed', runId: 'r', folder: project.home }], { imported: true });
    const agent = coder('first', 'echo 1 >> a.txt');
    await (await control.start(id, { agent, content: 'Do it.' })).done;
    expect(text()).toBe('one\n1\n');
  });
});
