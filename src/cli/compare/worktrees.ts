import { Worktrees } from '../../control/worktrees/worktrees.ts';
import { Conversations } from '../../control/conversations/conversations.ts';
import { ThreadWorktrees } from '../../control/worktrees/thread-worktrees.ts';
import type { WorktreeRecord } from '../../control/worktrees/worktree-record.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { visibleLine } from '../../base/terminal-text.ts';
import { singletreeHome } from '../settings/home.ts';
import { ageText, counted } from '../../projections/presentation/wording.ts';
import { printList, printResult } from '../print.ts';
import { type ThreadCommandOptions, withLog } from '../settings/site.ts';

const worktreesHere = () => new Worktrees({ home: singletreeHome(), folder: process.cwd() });

/** `singletree worktrees`: every worktree with its state, branch and folder. */
export async function listWorktrees(options: ThreadCommandOptions): Promise<void> {
  const worktrees = worktreesHere();
  const states = await Promise.all((await worktrees.records()).map(record => worktrees.state(record)));
  await printList(options, states, {
    head: [['name', 'state', 'changes', 'age', 'branch', 'folder']],
    toRow: ({ name, exists, isClean, kept, files, hasCommits, createdAt, branch, folder }) => [
      name,
      !exists ? 'missing' : kept !== undefined && isClean ? 'kept' : isClean ? 'clean' : 'changed',
      `${counted(files.length, 'file')}${hasCommits ? ', commits' : ''}`,
      ageText(Date.now() - Date.parse(createdAt)),
      branch,
      folder,
    ],
    empty: 'No worktrees. singletree compare "…" --agents coder,claude makes some.',
  });
}

/** `singletree worktrees keep`: applies the changes of a worktree to its original folder. */
export function keepWorktree(name: string, options: ThreadCommandOptions): Promise<void> {
  return withLog(options, async log => {
    const worktrees = worktreesHere();
    const { threadId, origin, name: found } = await named(worktrees, name);
    const files = await new ThreadWorktrees({ log, conversations: new Conversations({ log }), worktrees }).keep(
      threadId,
    );
    const lines = [
      `${counted(files.length, 'file')} changed in ${origin}`,
      ...files.map(file => `  ${visibleLine(file)}`),
      `Remove it: singletree worktrees remove ${found}`,
    ];
    await printResult(options, { name: found, files }, lines.join('\n'));
  });
}

/** `singletree worktrees remove`: removes the named worktrees, or all clean ones. */
export function removeWorktrees(
  names: readonly string[],
  options: ThreadCommandOptions & { readonly clean?: boolean; readonly force?: boolean },
): Promise<void> {
  return withLog(options, async log => {
    const worktrees = worktreesHere();
    const threads = new ThreadWorktrees({ log, conversations: new Conversations({ log }), worktrees });
    const chosen = await Promise.all(names.map(name => named(worktrees, name)));
    if (options.clean === true)
      for (const record of await worktrees.records()) if ((await worktrees.state(record)).isClean) chosen.push(record);
    if (chosen.length === 0 && options.clean !== true)
      throw new SingletreeError('invalid_argument', 'Name the worktrees to remove, or use --clean.');
    for (const { name, threadId } of new Set(chosen)) {
      await threads.remove(threadId, { force: options.force === true });
      await printResult(options, { name, removed: true }, `removed ${name}`);
    }
  });
}

async function named(worktrees: Worktrees, text: string): Promise<WorktreeRecord> {
  const records = await worktrees.records();
  const found = records.find(({ name, threadId }) => name === text || threadId === text);
  if (found !== undefined) return found;
  throw new SingletreeError(
    'invalid_argument',
    `There is no worktree "${text}". ${records.length === 0 ? 'There are none.' : `Known: ${records.map(({ name }) => name).join(', ')}.`}`,
  );
}
