import type { LinePiece } from '../../process/line-reader.ts';
import type { WireRecord } from '../shared/wire-value.ts';
import type { ProgramCall } from './run-to-end.ts';
import type { SessionIds, SessionTurns } from './session-turns.ts';
import type { SessionToWrite, WrittenSession } from './written-session.ts';

/** Where to look for sessions: the home folder and the variables with which programs relocate their folders. */
export interface SessionPlace {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A session file, a database or a folder of them, instead of the program's own place. */
  readonly path?: string | undefined;
}

/** A session of an external program, as a look at its files shows it. */
export interface FoundSession {
  /** The program's own id. */
  readonly id: string;
  /** Its main file, or the database that has it. */
  readonly path: string;
  /** The folder that the program worked in. */
  readonly cwd?: string;
  readonly title?: string;
  /** ISO 8601. */
  readonly createdAt?: string;
  /** ISO 8601: when its files changed last. */
  readonly updatedAt: string;
  readonly bytes: number;
  /** Differs whenever the session has changed. */
  readonly version: string;
}

/** Another file that belongs to a session, with the run whose raw lines it has; without one they are not stored. */
export interface IncludedFile {
  readonly name: string;
  readonly runId?: string;
}

/** Translates the records of one session to turns. Pure. */
export interface SessionReader {
  readonly turns: SessionTurns;
  /** Returns the files to read before this record: those of subagents, or of the session it was forked from. */
  before?(record: WireRecord): readonly IncludedFile[];
  /** Adds the events of a record, of an included `file` if given, to the turns; returns false for an unknown kind. */
  take(record: WireRecord, file?: string): boolean;
  /** Ends an included file. */
  endFile?(file: string): void;
  /** Ends the open turn if it is complete, at the current end of the records. */
  pause(): void;
}

/** Where a program works and has its sessions. */
export interface HandOverPlace extends Omit<SessionPlace, 'path'> {
  readonly cwd: string;
  /** The model that was chosen for the run, as the program names it. */
  readonly model?: string | undefined;
}

/** How a written session reaches its program. */
export type HandOverWay =
  /** It resumes nothing over this channel: the conversation is in the prompt. */
  | { readonly by: 'prompt' }
  /** It takes the path of the main file. */
  | { readonly by: 'path' }
  /** It finds the files among its own by the id of the session; `marker` is a file that makes the folder its own. */
  | {
      readonly by: 'store';
      readonly findFolder: (sessionId: string) => string;
      readonly marker?: { readonly path: string; readonly text: string };
    }
  /** It imports the main file, which names `model`; `readId` reads the id of the imported session, if it changes. */
  | {
      readonly by: 'import';
      readonly args: (path: string) => readonly string[];
      readonly model?: string;
      readonly readId?: (output: string) => string | undefined;
    };

/** How a written session is removed from its program's own store. */
export type SessionRemoval = { readonly paths?: readonly string[] } & (
  | { readonly args?: never }
  /** The program removes it; `isUnknown` matches its output for an unknown session. */
  | (Pick<ProgramCall, 'args' | 'conversation'> & { readonly isUnknown: RegExp })
);

/** Finds, reads and writes the session files of one program. Never changes the program's own files. */
export interface SessionFormat {
  /** Yields the sessions of the main agent in no order. Skips what it cannot open. */
  find(place: SessionPlace): AsyncIterable<FoundSession>;
  /** Yields the lines of a session, or of a file that its reader includes; none when that is missing. */
  lines(session: FoundSession, file?: string): AsyncIterable<LinePiece>;
  reader(ids: SessionIds): SessionReader;
  /** Returns the files of a new session that the program continues, or those that it imports. */
  write(session: SessionToWrite): WrittenSession;
  /** Returns how a written session reaches the program over a channel; undefined when it cannot resume one there. */
  readonly handOver?: (channel: 'print' | 'live', place: HandOverPlace) => HandOverWay | undefined;
  /** Returns how to remove a written session from the program's store; absent if the program accepts any file path. */
  readonly remove?: (sessionId: string, place: HandOverPlace) => SessionRemoval;
  /** Matches the line in print mode that reports an unknown session id. */
  readonly isUnknown?: RegExp;
  /** Whether a stored line is current, for sources that change earlier records. Default: whether its bytes match. */
  readonly isSameLine?: (stored: Uint8Array, current: Uint8Array) => boolean;
}
