import type { Tool, ToolCall } from '../../contract/agent.ts';
import { checkpointEvent, describeUncovered, type UncoveredPath, writePath } from './checkpoint.ts';
import type { ShadowRepository, Snapshot } from './shadow-repository.ts';
import type { SnapshotEntries } from './walk-snapshot.ts';

/** The categories of tools that can change files of the workspace. */
const changing: ReadonlySet<string> = new Set(['edit', 'execute']);

/**
 * Returns the tools with checkpoints: a snapshot before and after each call that can change files, and an event with
 * the changes. When snapshots are not possible, the call still runs and one warning per run reports that its changes
 * cannot be undone; another warning names changed files that snapshots do not cover.
 */
export function withCheckpoints(tools: readonly Tool[], repository: ShadowRepository): Tool[] {
  const warned = new Set<string>();
  /** Whether something happens for the first time in a run. */
  const isFirst = ({ runId }: ToolCall, what: string) => {
    const key = `${runId}\0${what}`;
    if (warned.has(key)) return false;
    warned.add(key);
    return true;
  };
  async function explain(context: ToolCall, problem: string): Promise<void> {
    const message = `Changes of this run cannot be undone: ${problem}.`;
    if (isFirst(context, '')) await context.emit({ type: 'warning', message, code: 'checkpoint' });
  }

  async function record(before: Snapshot, context: ToolCall): Promise<void> {
    if ('problem' in before) return;
    const after = await repository.snapshot();
    if ('problem' in after) return explain(context, after.problem);
    const { files, folders, uncovered } = repository.compare(before.entries, after.entries);
    const unwatched = findUnwatched(after.entries).filter(({ path }) => isFirst(context, path));
    const { toolCallId } = context;
    const missing = [...uncovered, ...unwatched];
    if (files.length + folders.length + missing.length > 0)
      await context.emit(
        checkpointEvent({
          toolCallId,
          workTree: repository.workTree,
          files,
          ...(folders.length > 0 && { folders }),
          ...(missing.length > 0 && { uncovered: missing }),
        }),
      );
    // That ignored files and the data of git are not covered is expected: an undo names them.
    const unexpected = uncovered.filter(
      ({ reason, path }) => !['ignored', 'git', 'unwatched'].includes(reason) && isFirst(context, path),
    );
    const message = `Changes of these files cannot be undone: ${describeUncovered(unexpected)}.`;
    if (unexpected.length > 0) await context.emit({ type: 'warning', message, code: 'not_covered' });
  }

  return tools.map(tool => {
    if (!changing.has(tool.category ?? '')) return tool;
    return {
      ...tool,
      execute: async (input, context) => {
        const before = await repository.snapshot();
        if ('problem' in before) await explain(context, before.problem);
        try {
          return await tool.execute(input, context);
        } finally {
          await record(before, context);
        }
      },
    };
  });
}

function findUnwatched(entries: SnapshotEntries): UncoveredPath[] {
  return [...entries].flatMap(([path, { reason }]) => (reason === 'unwatched' ? [{ ...writePath(path), reason }] : []));
}
