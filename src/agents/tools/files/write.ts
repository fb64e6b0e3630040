import { defined } from '../../../base/defined.ts';
import * as z from 'zod';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { Tool } from '../../contract/agent.ts';
import type { WorkspaceFolder } from '../../workspace/workspace-folder.ts';
import { unifiedDiff } from '../../workspace/unified-diff.ts';
import { readText } from './read-text.ts';
import { pathArgument, permittedWorkspace, type ToolWorkspace } from '../tool-workspace.ts';

const input = z.object({
  path: z.string().min(1).describe('the file; missing folders are made'),
  content: z.string().describe('the whole new content'),
});

/** Writes a whole file; an existing one must have been read in the same run and be unchanged since. */
export function writeTool(toolWorkspace: ToolWorkspace): Tool {
  const { seen, fileLock } = toolWorkspace;
  /** Throws when the file exists and was not read. */
  const lookBefore = async (workspace: WorkspaceFolder, runId: string, path: string) => {
    const before = await workspace.look(path);
    const known = before && seen.findStamp(runId, before.real);
    if (before?.kind === 'file' && known === undefined)
      throw new Error(`${path} exists and was not read. Read it before you replace it.`);
    return { before, known };
  };
  return defineTool({
    name: 'write',
    description:
      'Writes a file of the workspace, all of it. To replace a file that exists, read it first. ' +
      'To change a part of a file, edit it instead.',
    category: 'edit',
    input,
    paths: pathArgument(toolWorkspace),
    preview: async ({ path, content }, { runId }) => {
      const { workspace } = toolWorkspace;
      const { before } = await lookBefore(workspace, runId, path);
      if (before?.kind !== 'file') return {};
      // A binary file has no lines to compare.
      const oldText = await readText(workspace, path).then(
        ({ text }) => text,
        () => undefined,
      );
      return oldText === undefined ? {} : defined({ diff: unifiedDiff([{ path, oldText, newText: content }]) });
    },
    execute: ({ path, content }, context) =>
      fileLock.run(context.signal, async () => {
        const { runId } = context;
        const workspace = permittedWorkspace(toolWorkspace, context);
        const { before, known } = await lookBefore(workspace, runId, path);
        const from = before === undefined ? null : known;
        const [after] = await workspace.change([{ path, content, ...defined({ from }) }]);
        if (after !== undefined) seen.note(runId, after.real, after.stamp);
        const bytes = Buffer.byteLength(content);
        const created = before === undefined;
        return {
          context: `${created ? 'Created' : 'Replaced'} ${path} (${bytes} bytes).`,
          result: { path, bytes, created },
        };
      }),
  });
}
