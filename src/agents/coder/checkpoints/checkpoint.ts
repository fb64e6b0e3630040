import * as z from 'zod';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { once } from '../../../base/once.ts';
import type { ToolEvent } from '../../contract/tool-values.ts';
import { type BytePath, type FileState, parseState, pathText, systemPath } from './file-state.ts';

/** The name of the custom event that records the files a call has changed. */
export const checkpointName = 'checkpoint';

/** A path below a folder: its text, and its bytes in base64 when they are not the UTF-8 of that text. */
export interface WrittenPath {
  readonly path: string;
  readonly bytes?: string | undefined;
}

/** The state of a path before and after a change; absent when the path did not exist. */
export interface SnapshotChange extends WrittenPath {
  readonly before?: FileState;
  readonly after?: FileState;
}

/** Why snapshots do not hold something. */
export type UncoveredReason = 'large' | 'ignored' | 'git' | 'special' | 'unreadable' | 'unwatched';

/** Something that a call has changed, or may have changed, and that an undo cannot restore. */
export interface UncoveredPath extends WrittenPath {
  readonly reason: UncoveredReason;
}

/** The files that one call changed: contents by hash, in the snapshots of its folder. */
export interface Checkpoint {
  readonly toolCallId: string;
  readonly workTree: string;
  readonly files: readonly SnapshotChange[];
  /** The folders that were made, removed or have other permissions. */
  readonly folders?: readonly SnapshotChange[];
  readonly uncovered?: readonly UncoveredPath[];
}

const reasonTexts: Readonly<Record<UncoveredReason, string>> = {
  large: 'too large for snapshots',
  ignored: 'ignored by git',
  git: 'data of git',
  special: 'not a file, link or folder',
  unreadable: 'not readable',
  unwatched: 'not covered, too many files to compare',
};

/** Returns the names of the paths that are not covered, each with its reason. */
export function describeUncovered(uncovered: readonly UncoveredPath[]): string {
  return uncovered.map(({ path, reason }) => `${path} (${reasonTexts[reason]})`).join(', ');
}

const schema = once(() => {
  const written = { path: z.string(), bytes: z.base64().optional() };
  const state = z.string().refine(text => parseState(text) !== undefined);
  const change = z.object({ ...written, before: state.optional(), after: state.optional() }).refine(isInside);
  return z.object({
    toolCallId: z.string(),
    workTree: z.string(),
    files: z.array(change),
    folders: z.array(change).optional(),
    uncovered: z
      .array(z.object({ ...written, reason: z.enum(Object.keys(reasonTexts) as UncoveredReason[]) }))
      .optional(),
  });
});

/** Returns the event of a checkpoint. */
export function checkpointEvent(checkpoint: Checkpoint): ToolEvent {
  return { type: 'custom', name: checkpointName, data: checkpoint };
}

/** Returns the checkpoint that an event records; undefined for any other event, and for paths that lead out of the folder. */
export function readCheckpoint(event: AgentEvent): Checkpoint | undefined {
  if (event.type !== 'custom' || event.name !== checkpointName) return undefined;
  return schema().safeParse(event['data']).data as Checkpoint | undefined;
}

/** Returns a path as it is written in an event. */
export function writePath(path: BytePath): WrittenPath {
  const bytes = systemPath(path);
  const text = pathText(path);
  return Buffer.from(text, 'utf8').equals(bytes) ? { path: text } : { path: text, bytes: bytes.toString('base64') };
}

/** Returns the bytes of a path of an event. */
export function bytePath({ path, bytes }: WrittenPath): BytePath {
  return Buffer.from(bytes ?? path, bytes === undefined ? 'utf8' : 'base64').toString('latin1');
}

/** Whether every name of a path is an ordinary one: no path leads out of the folder, or into the data of git. */
function isInside(written: WrittenPath): boolean {
  const names = bytePath(written).split('/');
  return names.every(name => !['', '.', '..'].includes(name) && name.toLowerCase() !== '.git' && !name.includes('\0'));
}
