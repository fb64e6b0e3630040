import * as z from 'zod';
import { defineTool, type Tool } from '../../loop/tool.ts';
import type { FileChange, ResolvedPath, WorkspaceFolder } from '../../workspace/index.ts';
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
    paths: async ({ patch }) => ({ path: await pathsOf(toolWorkspace.workspace, patch) }),
    execute: ({ patch }, context) =>
      fileLock.run(context.signal, async () => {
        const { runId } = context;
        const workspace = permittedWorkspace(toolWorkspace, context);
        const files = parsePatch(patch);
        const changes: FileChange[] = [];
        for (const file of files) changes.push(...(await changesFor(workspace, file)));
        const after = await workspace.change(changes);
        for (const { real, stamp } of after) seen.note(runId, real, stamp);
        return {
          context: files.map(describe).join('\n'),
          result: { files: files.map(({ action, path, ...file }) => ({ action, path, ...moveOf(file) })) },
        };
      }),
  });
}

/** Returns the paths that a patch reads and writes; an unreadable patch has none that a rule could allow. */
async function pathsOf(workspace: WorkspaceFolder, patch: string): Promise<ResolvedPath[]> {
  const paths: ResolvedPath[] = [];
  for (const file of readablePatch(patch)) {
    const { moveTo } = moveOf(file);
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
    return [];
  }
}

async function changesFor(workspace: WorkspaceFolder, file: FilePatch): Promise<FileChange[]> {
  const { path } = file;
  if (file.action === 'add') {
    await checkFree(workspace, path);
    return [{ path, content: file.content, from: null }];
  }
  if (file.action === 'delete') {
    if ((await workspace.look(path, { keepLink: true })) === undefined)
      throw new Error(`${path} cannot be deleted: it does not exist. Nothing was changed.`);
    return [{ path, content: undefined }];
  }
  const { text, stamp, mode } = await readText(workspace, path);
  const content = applyHunks(text, file.hunks, path);
  if (file.moveTo === undefined) return [{ path, content, from: stamp }];
  await checkFree(workspace, file.moveTo);
  return [
    { path: file.moveTo, content, from: null, mode },
    { path, content: undefined, from: stamp },
  ];
}

async function checkFree(workspace: WorkspaceFolder, path: string): Promise<void> {
  if ((await workspace.look(path, { keepLink: true })) !== undefined)
    throw new Error(`${path} exists already: use "*** Update File". Nothing was changed.`);
}

const verbs = { add: 'Added', delete: 'Deleted', update: 'Updated' } as const;

function describe(file: FilePatch): string {
  const { moveTo } = moveOf(file);
  return moveTo === undefined ? `${verbs[file.action]} ${file.path}` : `Moved ${file.path} to ${moveTo}`;
}

function moveOf(file: object): { moveTo?: string } {
  return 'moveTo' in file ? { moveTo: file.moveTo as string } : {};
}
