import * as z from 'zod';
import { defineTool, type Tool } from '../loop/tool.ts';
import { pathArgument, permittedWorkspace, type ToolRoom } from './tool-room.ts';

const input = z.object({
  path: z.string().min(1).describe('the file; missing folders are made'),
  content: z.string().describe('all it holds afterwards'),
});

/** Writes a whole file; one that exists must have been read in the same run and be unchanged since. */
export function writeTool(room: ToolRoom): Tool {
  const { seen, changing } = room;
  return defineTool({
    name: 'write',
    description:
      'Writes a file of the workspace, all of it. To replace a file that exists, read it first. ' +
      'To change a part of a file, use edit.',
    category: 'edit',
    input,
    paths: pathArgument(room),
    execute: ({ path, content }, context) =>
      changing.use(context.signal, async () => {
        const { runId } = context;
        const workspace = permittedWorkspace(room, context);
        const before = await workspace.look(path);
        const known = before && seen.stampOf(runId, before.real);
        if (before?.kind === 'file' && known === undefined)
          throw new Error(`${path} exists and was not read. Read it before you replace it.`);
        const from = before === undefined ? null : known;
        const [after] = await workspace.change([{ path, content, ...(from !== undefined && { from }) }]);
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
