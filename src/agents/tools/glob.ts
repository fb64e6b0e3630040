import * as z from 'zod';
import { defineTool, type Tool } from '../loop/tool.ts';
import { findFiles } from '../workspace/find-files.ts';
import { globPattern } from './glob-pattern.ts';
import type { ToolRoom } from './tool-room.ts';

const defaultLimit = 200;

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .describe('such as src/**/*.ts, **/*.{md,txt} or *.json; without a / it matches names anywhere'),
  path: z.string().optional().describe('the folder to look in; the root of the workspace when absent'),
  limit: z.int().min(1).max(5_000).optional().describe(`how many files to show; ${defaultLimit} when absent`),
});

/** Finds files by their path; what git ignores is left out when ripgrep or git is there. */
export function globTool({ workspace }: ToolRoom): Tool {
  return defineTool({
    name: 'glob',
    description: 'Finds files of the workspace by a pattern for their path. What git ignores is left out.',
    category: 'read',
    input,
    execute: async ({ pattern, path = '.', limit = defaultLimit }, { signal }) => {
      const matches = globPattern(pattern);
      const found: string[] = [];
      let isComplete = true;
      for await (const file of findFiles(workspace, path, signal)) {
        if (!matches(file)) continue;
        if (found.length === limit) {
          isComplete = false;
          break;
        }
        found.push(inFolder(path, file));
      }
      const more = isComplete ? [] : [`[There are more: set limit, or narrow the pattern.]`];
      return {
        context: found.length === 0 ? `No file matches ${pattern}.` : [...found, ...more].join('\n'),
        result: { files: found, isComplete },
      };
    },
  });
}

/** A path of the folder as the model can use it again. */
export function inFolder(folder: string, path: string): string {
  const prefix = folder.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
  return prefix === '.' || (prefix === '' && !folder.startsWith('/')) ? path : `${prefix}/${path}`;
}
