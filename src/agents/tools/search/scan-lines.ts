import { runInNewContext } from 'node:vm';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { joined } from '../../workspace/file-walk.ts';
import { findFiles } from '../../workspace/find-files.ts';
import type { WorkspaceFolder } from '../../workspace/workspace-folder.ts';
import { binaryKind, utf16 } from '../files/binary-kind.ts';
import type { ToolCall } from '../../contract/agent.ts';
import type { SkippedFiles } from '../../workspace/skipped-files.ts';

const largestFile = 10 * 1024 * 1024;
/** The time limit for one file: some patterns take forever on a few characters. */
const fileMs = 500;

/** Searches without ripgrep: reads each file whole and searches it within a time limit. */
export async function scanLines(workspace: WorkspaceFolder, search: LineSearch): Promise<void> {
  const { path, isFile, matches, signal, skipped, take } = search;
  const expression = toExpression(search);
  if (isFile) {
    const text = await textAt(workspace, path);
    if (text === 'large') skipped.add('large');
    else if (text !== undefined) foundIn(text.text, { ...search, expression, file: path }).every(take);
    return;
  }
  const folder = await workspace.withFolder(path, async ({ real }) => real);
  for await (const file of findFiles(workspace, path, search)) {
    signal.throwIfAborted();
    if (!matches(file)) continue;
    const text = await textAt(workspace, joined(folder, file), { isReal: true }).catch(unread);
    if (typeof text === 'string') skipped.add(text);
    else if (text !== undefined && !foundIn(text.text, { ...search, expression, file }).every(take)) return;
  }
}

/** Returns no lines for a file that was deleted during the search. */
function unread(error: unknown): 'unreadable' | undefined {
  return SingletreeError.is(error, 'not_found') ? undefined : 'unreadable';
}

interface FileScan extends LineSearch {
  readonly expression: RegExp;
  readonly file: string;
}

function toExpression({ pattern, ignoreCase }: LineSearch): RegExp {
  try {
    return new RegExp(pattern, ignoreCase ? 'i' : '');
  } catch (error) {
    throw invalidPattern(pattern, (error as Error).message.replace(/^Invalid regular expression: /, ''));
  }
}

/** Returns the text of a file; undefined when it is binary. A real path contains no link. */
function textAt(
  workspace: WorkspaceFolder,
  path: string,
  { isReal = false } = {},
): Promise<{ text: string } | 'large' | undefined> {
  return workspace.withFile(path, async ({ handle, size, real }) => {
    if (isReal && real !== path) return undefined;
    if (size > largestFile) return 'large';
    const bytes = await handle.readFile();
    const kind = binaryKind(bytes);
    if (kind === undefined) return { text: bytes.toString('utf8') };
    return kind === utf16
      ? { text: new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes) }
      : undefined;
  });
}

function foundIn(text: string, { expression, file, pattern, context }: FileScan): FoundLine[] {
  const lines = text.split('\n').map(line => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  const isMatch = new Set(matchingLines(lines, expression, `${JSON.stringify(pattern)} takes too long on ${file}`));
  const shown = new Set([...isMatch].flatMap(at => around(at, context, lines.length)));
  return Array.from(shown, at => ({ file, number: at + 1, line: lines[at] as string, isMatch: isMatch.has(at) }));
}

function matchingLines(lines: readonly string[], expression: RegExp, problem: string): number[] {
  const search = () => [...lines.keys()].filter(at => expression.test(lines[at] as string));
  try {
    return runInNewContext('search()', { search }, { timeout: fileMs }) as number[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new Error(`${problem}: use a simpler pattern, without repetitions inside repetitions.`, { cause: error });
  }
}

function around(at: number, context: number, end: number): number[] {
  const from = Math.max(0, at - context);
  return Array.from({ length: Math.min(end, at + context + 1) - from }, (_, index) => from + index);
}

/** Whether a permission rule keeps a path below the searched folder from the call. */
export type PathGuard = (below: string) => boolean;

/** Returns the guard of a call that lists or searches a folder; undefined when no rule can apply. */
export async function pathGuard(
  workspace: WorkspaceFolder,
  folder: string,
  { isGuarded }: Pick<ToolCall, 'isGuarded'>,
): Promise<PathGuard | undefined> {
  if (isGuarded === undefined) return undefined;
  const real = await workspace.withFolder(folder, async opened => opened.real);
  return below => isGuarded('path', workspace.resolvedBelow(joined(real, below)));
}

/** A search for lines. */
export interface LineSearch {
  readonly pattern: string;
  /** A folder, or the one file to search. */
  readonly path: string;
  readonly isFile: boolean;
  readonly ignoreCase: boolean;
  /** The number of context lines around each match. */
  readonly context: number;
  /** Selects files by their path relative to the folder. */
  readonly matches: (file: string) => boolean;
  readonly signal: AbortSignal;
  /** Collects the files that could not be searched. */
  readonly skipped: SkippedFiles;
  /** Receives the found lines in the order of files and lines; returns false when it has enough. */
  readonly take: (found: FoundLine) => boolean;
}

/** A matching line or a context line. */
export interface FoundLine {
  /** Relative to the searched folder. */
  readonly file: string;
  readonly number: number;
  readonly line: string;
  readonly isMatch: boolean;
}

/** The error for an invalid pattern. */
export function invalidPattern(pattern: string, problem: string): Error {
  return new Error(`${JSON.stringify(pattern)} is not a valid regular expression: ${problem}.`);
}
