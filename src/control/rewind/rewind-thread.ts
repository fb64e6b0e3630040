import * as z from 'zod';
import { describeUncovered } from '../../agents/coder/checkpoints/checkpoint.ts';
import {
  applyRewind,
  collectUncovered,
  type FileRewind,
  previewRewind,
  type RewindDirection,
} from '../../agents/coder/checkpoints/file-rewind.ts';
import { ShadowRepository } from '../../agents/coder/checkpoints/shadow-repository.ts';
import { textOfContent } from '../../events/content-text.ts';
import { once } from '../../base/once.ts';
import { defined } from '../../base/defined.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { eventLog, field, flag, name } from '../../base/options/option-fields.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { hasOpen } from '../../log/open-things.ts';
import { readPagesBackwards } from '../../log/read-events.ts';
import { ConversationReader } from '../conversations/conversation-reader.ts';
import { ownCheckpoints } from './own-checkpoints.ts';

export interface RewindOptions {
  readonly log: EventLog;
  /** The folder with the snapshots of all work trees. */
  readonly snapshots: string;
}

/** A preview of an undo or a redo. */
export interface RewindPreview {
  readonly direction: RewindDirection;
  /** The files of each folder, with the planned changes. */
  readonly folders: readonly { readonly folder: string; readonly files: readonly FileRewind[] }[];
  /** The text of the message that would be undone or sent again. */
  readonly message: string;
  /** Warnings about changes of the turns that a rewind does not revert, with the names of the files. */
  readonly warnings: readonly string[];
}

export interface RewindResult extends RewindPreview {
  /** The thread to continue in. */
  readonly threadId: string;
  /** The files that were changed, with their folders. */
  readonly changed: readonly string[];
}

/** The parts that an undo reverts: the files, the conversation, or both. */
export type RewindScope = 'both' | 'conversation' | 'files';

export interface UndoOptions {
  /** The user message from which on everything is undone; the newest one when absent. */
  readonly messageId?: string;
  /** Whether to rewind files even if they were changed since. */
  readonly force?: boolean;
  /** `both` when absent. */
  readonly scope?: RewindScope;
}

const checkOptions = optionsCheck<RewindOptions>('new ThreadRewind')(() => ({ log: eventLog(), snapshots: name() }));
const checkUndo = optionsCheck<UndoOptions>('rewind.undo')(() => ({
  messageId: name().optional(),
  force: flag().optional(),
  scope: field(
    value => value === 'both' || value === 'conversation' || value === 'files',
    '"both", "conversation" or "files"',
  ).optional(),
}));
const checkRedo = optionsCheck('rewind.redo')(() => ({ force: flag().optional() }));

/** The note of a thread that an undo made. */
const noteKey = 'rewound';
const note = once(() => z.object({ threadId: z.string(), seq: z.number() }));

/**
 * Takes turns back, and takes them up again: the files that their calls changed, together with the conversation. An undo
 * continues in a new branch that ends before the message; the old thread stays as it is, and a redo returns to it.
 */
export class ThreadRewind {
  readonly #options: RewindOptions;
  readonly #reader: ConversationReader;

  constructor(options: RewindOptions) {
    checkOptions(options);
    this.#options = options;
    this.#reader = new ConversationReader(options.log);
  }

  /** Returns a preview of an undo from a user message on, by default the newest one. */
  async previewUndo(threadId: string, messageId?: string): Promise<RewindPreview> {
    const thread = await this.#reader.find(threadId);
    return this.#preview('undo', thread, await this.#turns(thread, messageId));
  }

  /**
   * Undoes everything from a user message on; skips files that were changed since unless `force` is set. Creates a
   * branch to continue in, unless only the files are undone.
   */
  async undo(threadId: string, options: UndoOptions = {}): Promise<RewindResult> {
    checkUndo(options);
    const { scope = 'both' } = options;
    const thread = await this.#reader.find(threadId);
    const turns = await this.#turns(thread, options.messageId);
    await this.#reader.checkIdle(thread, 'its turn cannot be undone.');
    if (hasOpen(thread, 'message'))
      throw new SingletreeError(
        'run_under_way',
        'Messages wait in this thread. Send or withdraw them before you undo a turn.',
      );
    const { seq, message } = turns;
    const preview =
      scope === 'conversation'
        ? { direction: 'undo' as const, message, folders: [], warnings: [] }
        : await this.#preview('undo', thread, turns);
    const changed = await this.#apply(preview, options.force);
    if (scope === 'files') return { ...preview, threadId, changed };
    const metadata = { ...thread.metadata, [noteKey]: { threadId, seq } };
    const branch = await this.#options.log.branch(threadId, seq - 1, { metadata, ...defined({ title: thread.title }) });
    return { ...preview, threadId: branch.id, changed };
  }

  /** Returns the folder that the newest turn of a thread worked in, or the turn that an undo took back; undefined without one. */
  async findFolder(threadId: string): Promise<string | undefined> {
    const thread = await this.#reader.find(threadId);
    // The start of a run precedes messages that were sent into it.
    const isStart = (event: LoggedEvent) => event.type === 'harness_start' && event.cwd !== undefined;
    const newest = folderOfRun(thread, await this.#eventsFrom(thread, isStart));
    if (newest !== undefined || !(await this.canRedo(threadId))) return newest;
    const { original, events } = await this.#undone(threadId);
    return folderOfRun(original, events);
  }

  /** Whether an undo created the thread, so that a redo can return to the original. */
  async canRedo(threadId: string): Promise<boolean> {
    return findNote(await this.#reader.find(threadId)) !== undefined;
  }

  /** Returns a preview of the redo of the undo that created a thread. */
  async previewRedo(threadId: string): Promise<RewindPreview> {
    const { original, ...turns } = await this.#undone(threadId);
    return this.#preview('redo', original, turns);
  }

  /** Reverts the undo that created a thread. */
  async redo(threadId: string, options: { force?: boolean } = {}): Promise<RewindResult> {
    checkRedo(options);
    const { original, ...turns } = await this.#undone(threadId);
    const preview = await this.#preview('redo', original, turns);
    const changed = await this.#apply(preview, options.force);
    // It is the newest thread again.
    await this.#options.log.updateThread(original.id, {});
    return { ...preview, threadId: original.id, changed };
  }

  async #undone(threadId: string) {
    const found = findNote(await this.#reader.find(threadId));
    if (found === undefined)
      throw new SingletreeError('invalid_argument', 'There is nothing to redo: no undo made this thread.');
    const original = await this.#reader.find(found.threadId);
    const events = await this.#eventsFrom(original, event => event.seq <= found.seq);
    const first = events.find(({ seq }) => seq >= found.seq);
    return { original, events: events.filter(({ seq }) => seq >= found.seq), message: toText(first) };
  }

  /** The events from a user message on. */
  async #turns(thread: Thread, messageId: string | undefined) {
    const isStart = (event: LoggedEvent) =>
      event.type === 'user' &&
      (messageId === undefined || messageId === `${event.runId}:user` || messageId === event.id);
    const events = await this.#eventsFrom(thread, isStart);
    const start = events.find(isStart);
    if (start === undefined)
      throw new SingletreeError(
        'invalid_argument',
        messageId === undefined
          ? 'There is nothing to undo: the thread has no message.'
          : `There is no message "${messageId}" to undo.`,
      );
    return { events: events.filter(({ seq }) => seq >= start.seq), message: toText(start), seq: start.seq };
  }

  /** Reads backwards until an event is found; returns it and those after it, with a few before it. */
  async #eventsFrom({ id, seq }: Thread, isStart: (event: LoggedEvent) => boolean): Promise<LoggedEvent[]> {
    const pages: LoggedEvent[][] = [];
    for await (const page of readPagesBackwards(this.#options.log, id, { before: seq + 1 })) {
      const at = page.findLastIndex(isStart);
      pages.unshift(page.slice(Math.max(0, at)));
      if (at >= 0) break;
    }
    return pages.flat();
  }

  async #preview(
    direction: RewindDirection,
    thread: Thread,
    { events, message }: { readonly events: readonly LoggedEvent[]; readonly message: string },
  ): Promise<RewindPreview> {
    const checkpoints = await ownCheckpoints(this.#options.log, thread, events);
    const names = [...new Set(checkpoints.map(({ workTree }) => workTree))];
    const folders = names.map(async folder => ({
      folder,
      files: await previewRewind(checkpoints, this.#repository(folder), direction),
    }));
    const warnings = [
      ...events.flatMap(event => (event.type === 'warning' && event.code === 'checkpoint' ? event.message : [])),
      ...names.flatMap(folder => {
        const uncovered = collectUncovered(checkpoints, folder);
        return uncovered.length === 0 ? [] : `Not covered in ${folder}: ${describeUncovered(uncovered)}.`;
      }),
    ];
    return { direction, message, folders: await Promise.all(folders), warnings };
  }

  async #apply({ folders }: RewindPreview, force = false): Promise<string[]> {
    const changed: string[] = [];
    for (const { folder, files } of folders) {
      const paths = await applyRewind(files, this.#repository(folder), { force }).catch((error: unknown) => {
        if (changed.length === 0 || !SingletreeError.is(error)) throw error;
        const message = `${error.message} Restored before that: ${changed.join(', ')}.`;
        throw new SingletreeError(error.code, message, { details: { ...error.details, changed }, cause: error });
      });
      changed.push(...paths.map(path => `${folder}/${path}`));
    }
    return changed;
  }

  #repository(workTree: string): ShadowRepository {
    return new ShadowRepository({ folder: this.#options.snapshots, workTree });
  }
}

/**
 * The note of the undo that made a thread. One that does not name the origin of the thread is ignored: metadata can be
 * set by callers and copied to other threads.
 */
function findNote({ metadata, branchedFrom }: Thread) {
  const found = note().safeParse(metadata[noteKey]).data;
  const isOrigin = branchedFrom?.threadId === found?.threadId && branchedFrom?.seq === (found?.seq ?? 0) - 1;
  return isOrigin ? found : undefined;
}

function toText(event: LoggedEvent | undefined): string {
  return event?.type === 'user' ? textOfContent(event.content) : '';
}

/** The folder of the first run of some events; one that was imported has none. */
function folderOfRun({ importedSeq = 0 }: Thread, events: readonly LoggedEvent[]): string | undefined {
  const own = events.filter(({ seq }) => seq > importedSeq);
  return own.flatMap(event => (event.type === 'harness_start' ? (event.cwd ?? []) : []))[0];
}
