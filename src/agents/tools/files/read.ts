import * as z from 'zod';
import { defineTool } from '../../loop/tool.ts';
import type { Tool } from '../../contract/agent.ts';
import { describeBinary } from './binary-kind.ts';
import { readLines } from './read-lines.ts';
import { pathArgument, permittedWorkspace, type ToolWorkspace } from '../tool-workspace.ts';

const mostLines = 2_000;

const input = z.object({
  path: z.string().min(1).describe('the file'),
  offset: z.int().min(1).optional().describe('the first line to read, counted from 1'),
  limit: z.int().min(1).optional().describe(`how many lines to read at most; ${mostLines} when absent`),
});

/** Reads numbered lines of a text file. */
export function readTool(toolWorkspace: ToolWorkspace): Tool {
  const { seen } = toolWorkspace;
  return defineTool({
    name: 'read',
    description:
      'Reads a text file of the workspace. Each line comes with its number and a tab, which are not part of the file. ' +
      'Long files are read in parts: the answer says how to go on.',
    category: 'read',
    input,
    paths: pathArgument(toolWorkspace),
    execute: ({ path, offset = 1, limit = mostLines }, context) =>
      permittedWorkspace(toolWorkspace, context).withFile(path, async ({ handle, size, stamp, real }) => {
        const { runId, signal } = context;
        seen.note(runId, real, stamp);
        const binary = await describeBinary(handle);
        if (binary !== undefined)
          return { context: `${path} is not text: it is ${binary} of ${size} bytes.`, result: { path, size, binary } };
        const { lines, isEnd } = await readLines(handle, { offset, limit: Math.min(limit, mostLines), signal });
        if (lines.length === 0)
          return {
            context: size === 0 ? `${path} is empty.` : `${path} has fewer than ${offset} lines.`,
            result: { path, size, isEnd },
          };
        const endLine = offset + lines.length - 1;
        const numbered = lines.map((line, index) => `${offset + index}\t${line}`).join('\n');
        const more = isEnd ? '' : `\n[There is more: continue with offset ${endLine + 1}.]`;
        return { context: `${numbered}${more}`, result: { path, size, startLine: offset, endLine, isEnd } };
      }),
  });
}
