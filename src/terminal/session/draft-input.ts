import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Clock } from '../../agents/clock.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import { commandsByUse } from '../completion/commands.ts';
import {
  type Completion,
  completionFor,
  completionRequest,
  type CompletionSources,
  isWholeLine,
  markedChange,
  moveCompletion,
} from '../../projections/completion/completion.ts';
import type { FileIndex } from '../../agents/workspace/file-index.ts';
import {
  clearDraft,
  type Composer,
  continueLine,
  emptyComposer,
  endsWithBackslash,
  insertChip,
  insertText,
  pasteText,
  replaceDraft,
  replaceRange,
  sentDraft,
  submission,
  type Submission,
  wholeText,
} from '../composer/composer.ts';
import type { DraftStore } from '../composer/draft-store.ts';
import { editDraft, isDraftAction } from '../composer/edit-draft.ts';
import { type HistoryFile, type HistoryWalk, recentTexts, walkHistory } from '../composer/history.ts';
import { isImagePath, pastedPaths } from './message-files.ts';
import type { ActionName } from '../keys/actions.ts';

export interface DraftInputOptions {
  readonly history: HistoryFile;
  readonly drafts: DraftStore;
  readonly files: FileIndex;
  /** The folder of the person, to which the history belongs. */
  readonly folder: string;
  readonly clock: Clock;
  /** Returns the values that complete the arguments of a kind. */
  readonly values: CompletionSources['values'];
  /** Called when the draft or its completions changed without a key. */
  readonly onChange: () => void;
}

/** How long after a change a draft is stored. */
const savePauseMs = 300;

/** The draft of the person: the editor with its history, completions and stored drafts. */
export class DraftInput {
  readonly #options: DraftInputOptions;
  #composer: Composer = emptyComposer;
  #completion: Completion | undefined;
  /** The draft whose completions the person closed. */
  #closedAt: string | undefined;
  #walk: HistoryWalk | undefined;
  #threadId = 'new';
  #stopSaving: (() => void) | undefined;
  /** Present while the stored draft of the thread is read: until then the composer has only what was typed since. */
  #opening: object | undefined;
  /** Reads and writes of stored drafts, in order. */
  readonly #storage = new SerialQueue();

  constructor(options: DraftInputOptions) {
    this.#options = options;
    options.files.onChange(() => {
      if (this.#completion?.request.kind !== 'file' && completionRequest(this.#composer)?.kind !== 'file') return;
      this.#complete();
      options.onChange();
    });
  }

  get composer(): Composer {
    return this.#composer;
  }

  get completion(): Completion | undefined {
    return this.#completion;
  }

  get isEmpty(): boolean {
    return this.#composer.text === '';
  }

  /** Inserts typed text. */
  type(text: string): void {
    this.#change(insertText(this.#composer, text));
  }

  /** Inserts pasted text; paths of files that exist are attached. */
  async paste(text: string): Promise<void> {
    const files = await readFiles(pastedPaths(text, homedir()));
    if (files === undefined) this.#change(pasteText(this.#composer, text));
    else this.#change(files.reduce(insertChip, this.#composer));
    this.#options.onChange();
  }

  /** Carries an action on the draft out; false when it is none. `width` is the number of columns of a row. */
  act(action: ActionName, width: number): boolean {
    if (this.#completion !== undefined && this.#actOnCompletion(action, this.#completion)) return true;
    if (action === 'draft.up' || action === 'draft.down') this.#moveRow(action, width);
    else if (isDraftAction(action)) this.#change(editDraft(this.#composer, action, width), action === 'draft.expand');
    else return false;
    return true;
  }

  /** Closes the completions; false when none were open. */
  closeCompletion(): boolean {
    if (this.#completion === undefined) return false;
    this.#completion = undefined;
    this.#closedAt = this.#composer.text;
    return true;
  }

  /** Whether Enter on the marked completion also sends the line. */
  get isWholeLine(): boolean {
    return this.#completion !== undefined && isWholeLine(this.#completion, this.#commands());
  }

  /**
   * Takes what is to be sent, and empties the draft; the draft that was put aside returns. Undefined when there is
   * nothing to send, or a backslash at the end asked for a new line.
   */
  take(): Submission | undefined {
    if (endsWithBackslash(this.#composer)) {
      this.#change(continueLine(this.#composer));
      return undefined;
    }
    const taken = submission(this.#composer);
    if (taken === undefined) return undefined;
    this.remember(wholeText(this.#composer).trim());
    this.#change(sentDraft(this.#composer));
    return taken;
  }

  /** Empties the draft; it stays in the history. */
  clear(): void {
    this.remember(wholeText(this.#composer).trim());
    this.#change(clearDraft(this.#composer));
  }

  /** Replaces the draft, as one change that can be undone. */
  replace(text: string): void {
    this.#change(replaceDraft(this.#composer, text));
  }

  /** Adds a text to the history. */
  remember(text: string): void {
    const { history, folder, clock } = this.#options;
    history.add({ text, folder, at: clock.now() });
  }

  /** Returns the messages of before, the newest first: of this folder, or of all. */
  recent(isEverywhere: boolean): readonly string[] {
    const { history, folder } = this.#options;
    return recentTexts(history.entries, isEverywhere ? undefined : folder);
  }

  /**
   * Switches to the draft of another thread; the one of before is stored. A draft without a thread goes along; else what
   * is typed while the other draft is read follows it.
   */
  async open(threadId: string): Promise<void> {
    const goesAlong = this.#threadId === 'new' && !this.isEmpty;
    const saved = this.save();
    this.#threadId = threadId;
    this.#walk = undefined;
    this.#completion = undefined;
    const opening = goesAlong ? undefined : {};
    this.#opening = opening;
    if (opening === undefined) return saved;
    this.#composer = emptyComposer;
    const stored = await this.#storage.run(() => this.#options.drafts.load(threadId));
    if (this.#opening !== opening) return;
    this.#opening = undefined;
    this.#composer = joined(stored, this.#composer);
    this.#saveSoon();
  }

  /** The draft belongs to a thread from now on: the one that its first message created. */
  belongTo(threadId: string): void {
    if (this.#threadId === threadId) return;
    const before = this.#threadId;
    void this.#storage.run(() => this.#options.drafts.save(before, emptyComposer));
    this.#threadId = threadId;
    this.#saveSoon();
  }

  /** Stores the draft now; what was typed before the stored one was read is added to that. */
  save(): Promise<void> {
    this.#stopSaving?.();
    this.#stopSaving = undefined;
    const { drafts } = this.#options;
    const [threadId, composer, isUnread] = [this.#threadId, this.#composer, this.#opening !== undefined];
    return this.#storage.run(async () =>
      drafts.save(threadId, isUnread ? joined(await drafts.load(threadId), composer) : composer),
    );
  }

  /** Stores the draft and the history. */
  async close(): Promise<void> {
    this.#options.files.close();
    await Promise.all([this.save(), this.#options.history.flush()]);
  }

  #actOnCompletion(action: ActionName, completion: Completion): boolean {
    if (action === 'completion.next' || action === 'completion.previous')
      this.#completion = moveCompletion(completion, action === 'completion.next' ? 1 : -1);
    else if (action === 'completion.accept') {
      const { from, to, text } = markedChange(completion);
      this.#change(replaceRange(this.#composer, from, to, text));
    } else return false;
    return true;
  }

  #moveRow(action: 'draft.up' | 'draft.down', width: number): void {
    const moved = editDraft(this.#composer, action, width);
    if (moved !== this.#composer) {
      this.#composer = moved;
      return;
    }
    const walked = walkHistory(this.#composer, this.#walk, {
      entries: this.recent(false),
      step: action === 'draft.up' ? 1 : -1,
    });
    if (walked === undefined) return;
    this.#change(walked.composer);
    this.#walk = walked.walk;
    // A command of before is shown, not completed.
    this.closeCompletion();
  }

  #change(composer: Composer, isSame = false): void {
    const isChanged = composer.text !== this.#composer.text;
    this.#composer = composer;
    if (isChanged && !isSame) this.#walk = undefined;
    if (isChanged) this.#saveSoon();
    this.#complete();
  }

  #complete(): void {
    if (this.#closedAt === this.#composer.text) return;
    this.#closedAt = undefined;
    if (completionRequest(this.#composer)?.kind === 'file') void this.#options.files.refresh();
    this.#completion = completionFor(this.#composer, this.#sources(), this.#completion);
  }

  #sources(): CompletionSources {
    const { files, values } = this.#options;
    return { files: (query, limit) => files.search(query, limit), commands: this.#commands(), values };
  }

  #commands() {
    return commandsByUse(this.recent(true));
  }

  #saveSoon(): void {
    if (this.#opening !== undefined) return;
    this.#stopSaving ??= this.#options.clock.after(savePauseMs, () => void this.save());
  }
}

/** A stored draft, followed by what was typed before it was read. */
function joined(stored: Composer, typed: Composer): Composer {
  return typed.text === '' ? stored : insertText(stored, wholeText(typed));
}

/** The files of paths; undefined when one of them is none. */
async function readFiles(paths: readonly string[]) {
  if (paths.length === 0) return undefined;
  const found = await Promise.all(paths.map(path => stat(path).catch(() => undefined)));
  const files = paths.flatMap((path, index) => {
    const stats = found[index];
    const type = isImagePath(path) ? ('image' as const) : ('file' as const);
    return stats?.isFile() ? [{ type, path, bytes: stats.size }] : [];
  });
  return files.length === paths.length ? files : undefined;
}
