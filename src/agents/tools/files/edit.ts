import * as z from 'zod';
import { defineTool, type Tool } from '../../loop/tool.ts';
import { replaceExact } from './replace-exact.ts';
import { readText } from './read-text.ts';
import { pathArgument, permittedWorkspace, type ToolWorkspace } from '../tool-workspace.ts';

const input = z.object({
  path: z.string().min(1).describe('the file'),
  old_string: z.string().min(1).describe('the exact text to replace, without line numbers; it occurs exactly once'),
  new_string: z.string().describe('the replacement'),
  replace_all: z.boolean().optional().describe('replaces every occurrence'),
});

/** Replaces an exact text in a file. A file that changed since the run read it must be read again. */
export function editTool(toolWorkspace: ToolWorkspace): Tool {
  const { seen, fileLock } = toolWorkspace;
  return defineTool({
    name: 'edit',
    description:
      'Replaces an exact text in a file of the workspace. The text must occur exactly once: add lines around it until ' +
      'it does, or set replace_all. Spaces and line breaks count.',
    category: 'edit',
    input,
    paths: pathArgument(toolWorkspace),
    execute: ({ path, old_string, new_string, replace_all = false }, context) =>
      fileLock.run(context.signal, async () => {
        const { runId } = context;
        const workspace = permittedWorkspace(toolWorkspace, context);
        const { text, stamp, real } = await readText(workspace, path);
        const known = seen.stampOf(runId, real);
        if (known !== undefined && known !== stamp)
          throw new Error(`${path} changed since it was read. Read it again before you edit it.`);
        const edited = replaceExact(text, { from: old_string, to: new_string, all: replace_all });
        if ('problem' in edited) throw new Error(`${path} was not changed: ${edited.problem}`);
        const { content, count, line } = edited;
        const [after] = await workspace.change([{ path, content, from: stamp }]);
        seen.note(runId, real, after?.stamp);
        const places = count === 1 ? `at line ${line}` : `in ${count} places, the first at line ${line}`;
        return { context: `Edited ${path} ${places}.`, result: { path, replacements: count, line } };
      }),
  });
}
