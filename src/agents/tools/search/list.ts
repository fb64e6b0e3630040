import * as z from 'zod';
import { defineTool } from '../../loop/tool.ts';
import type { Tool } from '../../contract/agent.ts';
import type { FolderEntry } from '../../workspace/workspace-folder.ts';
import { SkippedFiles } from '../../workspace/skipped-files.ts';
import { pathGuard } from './path-guard.ts';
import { pathArgument, permittedWorkspace, type ToolWorkspace } from '../tool-workspace.ts';

const mostRead = 10_000;
const defaultLimit = 500;

const input = z.object({
  path: z.string().optional().describe('the folder; the root of the workspace when absent'),
  limit: z.int().min(1).max(mostRead).optional().describe(`how many entries to show; ${defaultLimit} when absent`),
});

const marks: Record<FolderEntry['kind'], string> = { folder: '/', file: '', link: '@', other: '?' };

/** Lists a folder: folders first, each group ordered by name. */
export function listTool(toolWorkspace: ToolWorkspace): Tool {
  return defineTool({
    name: 'list',
    description: 'Lists a folder of the workspace: folders end with /, links with @.',
    category: 'read',
    input,
    paths: pathArgument(toolWorkspace),
    execute: async ({ path = '.', limit = defaultLimit }, context) => {
      const workspace = permittedWorkspace(toolWorkspace, context);
      const isGuarded = await pathGuard(workspace, path, context);
      const skipped = new SkippedFiles();
      const read = await workspace.entries(path, mostRead + 1);
      const entries = read.filter(({ name }) => isGuarded?.(name) !== true).toSorted(foldersFirst);
      skipped.add('guarded', read.length - entries.length);
      const shown = entries.slice(0, limit).map(({ name, kind }) => `${name}${marks[kind]}`);
      const left = entries.length - shown.length;
      const count = `${left}${read.length > mostRead ? ' or more' : ''}`;
      const more = left > 0 ? [`[${count} entries are not shown: set limit, or use glob.]`] : [];
      return {
        context: [...(read.length === 0 ? ['The folder is empty.'] : shown), ...more, ...skipped.lines].join('\n'),
        result: {
          path,
          entries: shown.length,
          isComplete: left === 0 && skipped.isEmpty,
          ...(!skipped.isEmpty && { skipped: skipped.counts }),
        },
      };
    },
  });
}

function foldersFirst(one: FolderEntry, other: FolderEntry): number {
  const order = Number(other.kind === 'folder') - Number(one.kind === 'folder');
  return order || (one.name < other.name ? -1 : 1);
}
