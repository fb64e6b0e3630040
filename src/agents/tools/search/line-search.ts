import type { SkippedFiles } from '../../workspace/skipped-files.ts';

/** What is searched for, and where. */
export interface LineSearch {
  readonly pattern: string;
  /** A folder, or the one file to search. */
  readonly path: string;
  readonly isFile: boolean;
  readonly ignoreCase: boolean;
  /** How many lines around each match are found too. */
  readonly context: number;
  /** Which files are searched, by their path seen from the folder. */
  readonly matches: (file: string) => boolean;
  readonly signal: AbortSignal;
  /** Gets what could not be searched. */
  readonly skipped: SkippedFiles;
  /** Gets what is found, in the order of files and lines; returns false when it is enough. */
  readonly take: (found: FoundLine) => boolean;
}

/** A line that was found, or one beside it. */
export interface FoundLine {
  /** Seen from the folder that is searched. */
  readonly file: string;
  readonly number: number;
  readonly line: string;
  readonly isMatch: boolean;
}

/** The pattern cannot be used. */
export function invalidPattern(pattern: string, problem: string): Error {
  return new Error(`${JSON.stringify(pattern)} is not a regular expression that can be used: ${problem}.`);
}
