import * as z from 'zod';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { Tool } from '../../contract/agent.ts';
import { findFiles } from '../../workspace/find-files.ts';
import { SkippedFiles } from '../../workspace/skipped-files.ts';
import { globPattern } from '../../workspace/glob-pattern.ts';
import { pathGuard } from './scan-lines.ts';
import { pathArgument, permittedWorkspace, type ToolWorkspace } from '../tool-workspace.ts';

const defaultLimit = 200;

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .describe('such as src/**/*.ts, **/*.{md,txt} or *.json; without a / it matches names anywhere'),
  path: z.string().optional().describe('the folder to look in; the root of the workspace when absent'),
  limit: z.int().min(1).max(5_000).optional().describe(`how many files to show; ${defaultLimit} when absent`),
});

/** Finds files by path; omits files that git ignores when ripgrep or git is installed. */
export function globTool(toolWorkspace: ToolWorkspace): Tool {
  return defineTool({
    name: 'glob',
    description:
      'Finds files of the workspace by a pattern for their path. Omits what git ignores and follows no link.',
    category: 'read',
    input,
    paths: pathArgument(toolWorkspace),
    execute: async ({ pattern, path = '.', limit = defaultLimit }, context) => {
      const { signal } = context;
      const workspace = permittedWorkspace(toolWorkspace, context);
      const matches = globPattern(pattern);
      const isGuarded = await pathGuard(workspace, path, context);
      const skipped = new SkippedFiles();
      const found: string[] = [];
      let hasMore = false;
      for await (const file of findFiles(workspace, path, { signal, skipped })) {
        if (isGuarded?.(file) === true) skipped.add('guarded');
        else if (matches(file)) {
          hasMore = found.length === limit;
          if (hasMore) break;
          found.push(inFolder(path, file));
        }
      }
      const shown = found.length === 0 ? [`No file matches ${pattern}.`] : found;
      const more = hasMore ? ['[There are more: set limit, or narrow the pattern.]'] : [];
      return {
        context: [...shown, ...more, ...skipped.lines].join('\n'),
        result: {
          files: found,
          isComplete: !hasMore && skipped.isEmpty,
          ...(!skipped.isEmpty && { skipped: skipped.counts }),
        },
      };
    },
  });
}

/** Returns a path of the folder in the form that the model can use again. */
export function inFolder(folder: string, path: string): string {
  const prefix = folder.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
  return prefix === '.' || (prefix === '' && !folder.startsWith('/')) ? path : `${prefix}/${path}`;
}
