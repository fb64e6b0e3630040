import type { SkippedFiles } from '../../workspace/skipped-files.ts';

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

/** A matching line, or one beside it. */
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
