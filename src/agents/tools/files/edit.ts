import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { Tool } from '../../contract/agent.ts';
import type { WorkspaceFolder } from '../../workspace/workspace-folder.ts';
import { unifiedDiff } from '../../workspace/unified-diff.ts';
import { replaceExact } from './replace-exact.ts';
import { readText } from './read-text.ts';
import { pathArgument, permittedWorkspace, type ToolWorkspace } from '../tool-workspace.ts';

const input = z.object({
  path: z.string().min(1).describe('the file'),
  old_string: z.string().min(1).describe('the exact text to replace, without line numbers; it occurs exactly once'),
  new_string: z.string().describe('the replacement'),
  replace_all: z.boolean().optional().describe('replaces every occurrence'),
});

type EditInput = z.infer<typeof input>;

/** Replaces an exact text in a file. A file that changed since the run read it must be read again. */
export function editTool(toolWorkspace: ToolWorkspace): Tool {
  const { seen, fileLock } = toolWorkspace;
  /** Throws when the edit cannot be made. */
  const prepare = async (workspace: WorkspaceFolder, runId: string, given: EditInput) => {
    const { path, old_string: from, new_string: to, replace_all: all = false } = given;
    const { text, stamp, real } = await readText(workspace, path);
    const known = seen.findStamp(runId, real);
    if (known !== undefined && known !== stamp)
      throw new Error(`${path} changed since it was read. Read it again before you edit it.`);
    const edited = replaceExact(text, { from, to, all });
    if ('problem' in edited) throw new Error(`${path} was not changed: ${edited.problem}`);
    return { text, stamp, real, ...edited };
  };
  return defineTool({
    name: 'edit',
    description:
      'Replaces an exact text in a file of the workspace. The text must occur exactly once: add lines around it until ' +
      'it does, or set replace_all. Spaces and line breaks count.',
    category: 'edit',
    input,
    paths: pathArgument(toolWorkspace),
    preview: async (given, { runId }) => {
      const { text: oldText, content: newText } = await prepare(toolWorkspace.workspace, runId, given);
      return defined({ diff: unifiedDiff([{ path: given.path, oldText, newText }]) });
    },
    execute: (given, context) =>
      fileLock.run(context.signal, async () => {
        const { runId } = context;
        const { path } = given;
        const workspace = permittedWorkspace(toolWorkspace, context);
        const { stamp, real, content, count, line } = await prepare(workspace, runId, given);
        const [after] = await workspace.change([{ path, content, from: stamp }]);
        seen.note(runId, real, after?.stamp);
        const places = count === 1 ? `at line ${line}` : `in ${count} places, the first at line ${line}`;
        return { context: `Edited ${path} ${places}.`, result: { path, replacements: count, line } };
      }),
  });
}
