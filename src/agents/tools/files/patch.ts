import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { Tool } from '../../contract/agent.ts';
import type { FileChange } from '../../workspace/file-changes.ts';
import type { ResolvedPath } from '../../contract/permissions.ts';
import type { WorkspaceFolder } from '../../workspace/workspace-folder.ts';
import { type TextChange, unifiedDiff } from '../../workspace/unified-diff.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FilePatch, parsePatch } from './parse-patch.ts';
import { readText } from './read-text.ts';
import { permittedWorkspace, type ToolWorkspace } from '../tool-workspace.ts';

const description = `Changes files of the workspace with one patch: all of it, or nothing when a part does not fit.

*** Begin Patch
*** Add File: path/new.txt
+each line of the new file
*** Update File: path/old.ts
*** Move to: path/renamed.ts
@@ function that(holds the place)
 a line that stays
-a line that goes
+a line that comes
*** Delete File: path/gone.txt
*** End Patch

"*** Move to:" and the text after "@@" may be left out. Give about three lines that stay around each change.`;

const input = z.object({ patch: z.string().min(1).describe('the patch, from *** Begin Patch to *** End Patch') });

/** Adds, changes, moves and removes files with one patch, all or nothing. */
export function patchTool(toolWorkspace: ToolWorkspace): Tool {
  const { seen, fileLock } = toolWorkspace;
  return defineTool({
    name: 'patch',
    description,
    category: 'edit',
    input,
    // Every path of the patch counts as its argument `path`, as in the other tools.
    paths: async ({ patch }) => ({ path: await resolvePaths(toolWorkspace.workspace, patch) }),
    preview: async ({ patch }) => {
      const planned = parsePatch(patch).map(file => planFile(toolWorkspace.workspace, file));
      return defined({ diff: unifiedDiff((await Promise.all(planned)).map(({ text }) => text)) });
    },
    execute: ({ patch }, context) =>
      fileLock.run(context.signal, async () => {
        const { runId } = context;
        const workspace = permittedWorkspace(toolWorkspace, context);
        const files = parsePatch(patch);
        const changes: FileChange[] = [];
        for (const file of files) changes.push(...(await planFile(workspace, file)).changes);
        const after = await workspace.change(changes);
        for (const { real, stamp } of after) seen.note(runId, real, stamp);
        return {
          context: files.map(describe).join('\n'),
          result: { files: files.map(({ action, path, ...file }) => ({ action, path, ...readMove(file) })) },
        };
      }),
  });
}

/** Returns the paths that a patch reads and writes; an unreadable patch has none that a rule could allow. */
async function resolvePaths(workspace: WorkspaceFolder, patch: string): Promise<ResolvedPath[]> {
  const paths: ResolvedPath[] = [];
  for (const file of readablePatch(patch)) {
    const { moveTo } = readMove(file);
    if (file.action === 'update') paths.push(await workspace.resolve(file.path));
    // Removing or moving a link affects the link itself, and nothing is added through one.
    if (file.action !== 'update' || moveTo !== undefined)
      paths.push(await workspace.resolve(file.path, { keepLink: true }));
    if (moveTo !== undefined) paths.push(await workspace.resolve(moveTo, { keepLink: true }));
  }
  return paths;
}

function readablePatch(patch: string): FilePatch[] {
  try {
    return parsePatch(patch);
  } catch {
    return []; // The tool reports what is wrong with it when it is executed.
  }
}

/** Returns what a section of a patch changes, for the workspace and as texts; throws when it does not fit. */
async function planFile(
  workspace: WorkspaceFolder,
  file: FilePatch,
): Promise<{ readonly changes: readonly FileChange[]; readonly text: TextChange }> {
  const { path } = file;
  if (file.action === 'add') {
    await checkFree(workspace, path);
    const { content } = file;
    return { changes: [{ path, content, from: null }], text: { path, oldText: '', newText: content } };
  }
  if (file.action === 'delete') {
    if ((await workspace.look(path, { keepLink: true })) === undefined)
      throw new Error(`${path} cannot be deleted: it does not exist. Nothing was changed.`);
    return { changes: [{ path, content: undefined }], text: { path, newPath: null, oldText: '', newText: '' } };
  }
  const { text, stamp, mode } = await readText(workspace, path);
  const content = applyHunks(text, file.hunks, path);
  const { moveTo } = file;
  const changed = { path, newPath: moveTo, oldText: text, newText: content };
  if (moveTo === undefined) return { changes: [{ path, content, from: stamp }], text: changed };
  await checkFree(workspace, moveTo);
  const moved = { path: moveTo, content, from: null, mode };
  return { changes: [moved, { path, content: undefined, from: stamp }], text: changed };
}

async function checkFree(workspace: WorkspaceFolder, path: string): Promise<void> {
  if ((await workspace.look(path, { keepLink: true })) !== undefined)
    throw new Error(`${path} exists already: use "*** Update File". Nothing was changed.`);
}

const verbs = { add: 'Added', delete: 'Deleted', update: 'Updated' } as const;

function describe(file: FilePatch): string {
  const { moveTo } = readMove(file);
  return moveTo === undefined ? `${verbs[file.action]} ${file.path}` : `Moved ${file.path} to ${moveTo}`;
}

function readMove(file: object): { moveTo?: string } {
  return 'moveTo' in file ? { moveTo: file.moveTo as string } : {};
}
