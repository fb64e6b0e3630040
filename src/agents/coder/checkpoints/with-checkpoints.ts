import type { Tool, ToolContext } from '../../loop/tool.ts';
import { checkpointEvent } from './checkpoint.ts';
import type { ShadowRepository, Snapshot } from './shadow-repository.ts';

/** The categories of tools that can change files of the workspace. */
const changing: ReadonlySet<string> = new Set(['edit', 'execute']);

/**
 * Returns the tools with checkpoints: a snapshot before and after each call that can change files, and an event with
 * the files that it changed. Where snapshots are not possible the call runs all the same, and a warning says once per
 * run that its changes cannot be undone.
 */
export function withCheckpoints(tools: readonly Tool[], repository: ShadowRepository): Tool[] {
  const warned = new Set<string>();
  const warn = async ({ runId, emit }: ToolContext, message: string) => {
    if (warned.has(runId)) return;
    warned.add(runId);
    await emit({ type: 'warning', message, code: 'checkpoint' });
  };
  return tools.map(tool => {
    if (!changing.has(tool.category ?? '')) return tool;
    return {
      ...tool,
      execute: async (input, context) => {
        const before = await repository.snapshot();
        if ('problem' in before) await warn(context, `Changes of this run cannot be undone: ${before.problem}.`);
        else if (before.leftOut.length > 0)
          await warn(context, `Changes of large files cannot be undone: ${before.leftOut.slice(0, 5).join(', ')}.`);
        try {
          return await tool.execute(input, context);
        } finally {
          await record(repository, before, context);
        }
      },
    };
  });
}

async function record(
  repository: ShadowRepository,
  before: Snapshot,
  { toolCallId, emit }: ToolContext,
): Promise<void> {
  if ('problem' in before) return;
  const after = await repository.snapshot();
  if ('problem' in after) return;
  const files = await repository.changes(before.tree, after.tree);
  if (files.length > 0) await emit(checkpointEvent({ toolCallId, workTree: repository.workTree, files }));
}
