import * as z from 'zod';
import { defineTool } from '../../loop/tool.ts';
import type { Tool, ToolCall } from '../../contract/agent.ts';
import { findFiles } from '../../workspace/find-files.ts';
import type { WorkspaceFolder } from '../../workspace/workspace-folder.ts';
import { programFor } from '../../workspace/program.ts';
import { SkippedFiles } from '../../workspace/skipped-files.ts';
import { describeBinary, utf16 } from '../files/binary-kind.ts';
import { inFolder } from './glob.ts';
import { globPattern } from '../../workspace/glob-pattern.ts';
import type { FoundLine, LineSearch } from './line-search.ts';
import { type PathGuard, pathGuard } from './path-guard.ts';
import { ripgrepLines } from './ripgrep-lines.ts';
import { scanLines } from './scan-lines.ts';
import { pathArgument, permittedWorkspace, type ToolWorkspace } from '../tool-workspace.ts';

const defaultLimit = 100;
const longestLine = 400;

const input = z.object({
  pattern: z.string().min(1).describe('a regular expression for a line'),
  path: z.string().optional().describe('the folder or the file to search; the root of the workspace when absent'),
  glob: z.string().min(1).optional().describe('only files whose path matches, such as *.ts or src/**'),
  ignore_case: z.boolean().optional(),
  context: z.int().min(0).max(20).optional().describe('how many lines to show before and after each match'),
  limit: z.int().min(1).max(2_000).optional().describe(`how many matching lines to show; ${defaultLimit} when absent`),
});

/** Searches lines of files, with ripgrep when it is installed and without it otherwise; both give the same result. */
export function grepTool(toolWorkspace: ToolWorkspace): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches the lines of the files of the workspace for a regular expression. The answer has the path of each ' +
      'file and under it the lines with their numbers. What git ignores and binary files are left out, and no link is ' +
      'followed.',
    category: 'read',
    input,
    paths: pathArgument(toolWorkspace),
    execute: async (
      { pattern, path = '.', glob, ignore_case = false, context: around = 0, limit = defaultLimit },
      context,
    ) => {
      const { signal } = context;
      const workspace = permittedWorkspace(toolWorkspace, context);
      const isFile = (await workspace.look(path))?.kind === 'file';
      const binary = isFile ? await workspace.withFile(path, ({ handle }) => describeBinary(handle)) : undefined;
      if (binary !== undefined && binary !== utf16)
        return {
          context: `${path} was not searched: it is ${binary}, not text.`,
          result: { matches: 0, files: 0, isComplete: false, binary },
        };
      const skipped = new SkippedFiles();
      const guarded = isFile ? () => false : await guardedFiles(workspace, path, { context, skipped });
      const fits = glob === undefined ? () => true : globPattern(glob);
      const shown = new FoundLines({ path, isFile, limit, context: around });
      const search: LineSearch = {
        pattern,
        path,
        isFile,
        ignoreCase: ignore_case,
        context: around,
        matches: file => fits(file) && !guarded(file),
        signal,
        skipped,
        take: line => shown.take(line),
      };
      const ripgrep = await programFor(workspace, 'rg');
      await (ripgrep === undefined ? scanLines(workspace, search) : ripgrepLines(workspace, ripgrep, search));
      return {
        context: [shown.count === 0 ? `Nothing matches ${pattern}.` : shown.text, ...skipped.lines].join('\n'),
        result: {
          matches: shown.count,
          files: shown.files,
          isComplete: shown.isComplete && skipped.isEmpty,
          ...(!skipped.isEmpty && { skipped: skipped.counts }),
        },
      };
    },
  });
}

interface GuardedSearch {
  readonly context: ToolCall;
  readonly skipped: SkippedFiles;
}

/**
 * Returns the files that a rule guards. They are counted before the search, so that their number reveals nothing about
 * their content.
 */
async function guardedFiles(
  workspace: WorkspaceFolder,
  path: string,
  { context, skipped }: GuardedSearch,
): Promise<PathGuard> {
  const isGuarded = await pathGuard(workspace, path, context);
  if (isGuarded === undefined) return () => false;
  const { signal } = context;
  const known = new Map<string, boolean>();
  const guarded: PathGuard = file => {
    const before = known.get(file) ?? isGuarded(file);
    known.set(file, before);
    return before;
  };
  for await (const file of findFiles(workspace, path, { signal, skipped: new SkippedFiles() }))
    if (guarded(file)) skipped.add('guarded');
  return guarded;
}

interface Shown {
  readonly path: string;
  readonly isFile: boolean;
  readonly limit: number;
  readonly context: number;
}

/** The results of a search, up to its limit: each file with its lines under it. */
class FoundLines {
  readonly #shown: Shown;
  readonly #text: string[] = [];
  #file: string | undefined;
  #last = 0;
  files = 0;
  count = 0;
  isComplete = true;

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** Collects lines until there are enough matches, and the context lines after the last one. */
  take({ file, number, line, isMatch }: FoundLine): boolean {
    const { path, isFile, limit, context } = this.#shown;
    const isNew = file !== this.#file;
    if (this.count === limit && (isMatch || isNew || number > this.#last + context)) {
      this.isComplete = false;
      return false;
    }
    if (isNew) {
      this.#file = file;
      this.files++;
      this.#text.push(isFile ? path : inFolder(path, file));
    }
    if (isMatch) {
      this.count++;
      this.#last = number;
    }
    this.#text.push(
      `${number}${isMatch ? ':' : '-'} ${line.length > longestLine ? `${line.slice(0, longestLine)}…` : line}`,
    );
    return true;
  }

  get text(): string {
    const more = this.isComplete ? [] : ['[There are more matches: set limit, or narrow the search.]'];
    return [...this.#text, ...more].join('\n');
  }
}
