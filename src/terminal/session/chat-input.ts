import type { RelayEntry } from '../../projections/relay-book.ts';
import { emptyComposer, insertText, pasteText, type Submission, wholeText } from '../composer/composer.ts';
import { editDraft, isDraftAction } from '../composer/edit-draft.ts';
import type { ActionName, KeyCondition, KeyContext } from '../keys/actions.ts';
import type { InputEvent, Key } from '../keys/key.ts';
import { KeyDecoder } from '../keys/key-decoder.ts';
import { KeyMatcher } from '../keys/key-map.ts';
import type { ChatApp } from './chat-app.ts';
import { runCommand } from './chat-commands.ts';
import { actOnBand, type BandEffect, isWriting, leaveBand, newBand, takesKeys, typeOnBand } from './relay-band.ts';

/** Two presses of Ctrl+C within this time, with no other key between them, quit. */
const quitPauseMs = 2_000;

/** Turns what a person types into actions of the chat. */
export class ChatInput {
  readonly #app: ChatApp;
  readonly #decoder: KeyDecoder;
  readonly #matcher: KeyMatcher;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #isFocused = true;
  #lastKey = '';

  constructor(app: ChatApp) {
    this.#app = app;
    this.#decoder = new KeyDecoder(app.options.clock, event => this.#take(event));
    this.#matcher = new KeyMatcher(app.keys);
  }

  write(bytes: Uint8Array): void {
    this.#decoder.write(bytes);
  }

  /** A question appeared: a person who looks elsewhere is called. */
  relayAppeared(): void {
    if (!this.#isFocused) this.#app.io.bell();
  }

  #take(event: InputEvent): void {
    const app = this.#app;
    if (event.type === 'focus') {
      this.#isFocused = event.isFocused;
      return;
    }
    if (event.type === 'reply') return;
    app.notice = undefined;
    if (event.type === 'key') this.#key(event);
    else if (app.list.isOpen) app.list.type(event.text);
    else if (this.#isWriting()) this.#write(composer => pasteText(composer, event.text));
    else app.attempt(() => app.draft.paste(event.text));
    app.screen.request(true);
  }

  #key(key: Key): void {
    const app = this.#app;
    if (app.transcript.isTyping) return app.transcript.type(key);
    const now = app.options.clock.now();
    const meaning = this.#matcher.press(key, { context: this.#context(), conditions: this.#conditions(), now });
    this.#lastKey = key.name;
    // Only two presses in a row quit.
    if (meaning.type !== 'action' || meaning.action !== 'interrupt') this.#interruptedAt = Number.NEGATIVE_INFINITY;
    if (meaning.type === 'action') this.#act(meaning.action);
    else if (meaning.type === 'text' && !app.transcript.isOpen) this.#text(meaning.text);
  }

  #context(): KeyContext {
    const { band, list, draft } = this.#app;
    if (this.#app.transcript.isOpen) return 'viewer';
    if (list.isOpen) return 'list';
    return band !== undefined && takesKeys(band, draft.composer) ? 'relay' : 'chat';
  }

  #conditions(): ReadonlySet<KeyCondition> {
    const app = this.#app;
    const conditions = new Set<KeyCondition>();
    if (app.draft.completion !== undefined && !this.#isWriting()) conditions.add('completing');
    if (app.draft.isEmpty && !this.#isWriting()) conditions.add('empty');
    conditions.add(app.threads.isRunning ? 'running' : 'idle');
    if (app.threads.isRunning) conditions.add('movable');
    if (app.threads.pending.length > 0) conditions.add('waiting');
    return conditions;
  }

  /** Whether the person writes a reason or an answer. */
  #isWriting(): boolean {
    return this.#app.band !== undefined && isWriting(this.#app.band);
  }

  #write(change: (composer: typeof emptyComposer) => typeof emptyComposer): void {
    const { band } = this.#app;
    if (band !== undefined) this.#app.band = { ...band, input: change(band.input) };
  }

  /** What the band shows. */
  get #asked(): RelayEntry | undefined {
    return this.#app.threads.pending.find(({ id }) => id === this.#app.band?.relayId);
  }

  #apply({ band, answer, notice, revises = false }: BandEffect): void {
    const app = this.#app;
    const entry = this.#asked;
    if (band !== undefined) app.band = band;
    if (notice !== undefined) app.notice = notice;
    if (entry !== undefined && answer !== undefined) app.attempt(() => app.threads.answer(entry, answer));
    if (entry !== undefined && revises) app.attempt(() => revise(app, entry));
  }

  #text(text: string): void {
    const app = this.#app;
    if (app.list.isOpen) return app.list.type(text);
    if (this.#isWriting()) return this.#write(composer => insertText(composer, text));
    const { band } = app;
    const effect =
      band !== undefined && takesKeys(band, app.draft.composer)
        ? typeOnBand(band, text, app.threads.pending)
        : undefined;
    if (effect === undefined) app.draft.type(text);
    else this.#apply(effect);
  }

  #act(action: ActionName): void {
    const app = this.#app;
    if (app.transcript.isOpen) return app.transcript.act(action);
    if (app.list.act(action)) return;
    const { band, threads, draft, place } = app;
    const effect = band && actOnBand(band, action, { pending: threads.pending, draft: draft.composer, place });
    if (effect !== undefined) return this.#apply(effect);
    if (this.#isWriting() && isDraftAction(action))
      return this.#write(composer => editDraft(composer, action, app.io.size.columns - 2));
    if (this.#accept(action) || app.draft.act(action, app.io.size.columns - 2)) return;
    switch (action) {
      case 'send':
        return this.#send();
      case 'queue':
        return this.#queue();
      case 'interrupt':
        return this.#interrupt();
      case 'back':
        return this.#back();
      case 'quit':
        return app.quit();
      case 'relay.enter':
      case 'relay.enter-with-draft': {
        const entry = this.#asked;
        if (entry !== undefined) app.band = { ...newBand(entry, emptyComposer), draft: app.draft.composer };
        return;
      }
      case 'mode':
        return app.attempt(() => nextMode(app));
      case 'tasks':
        app.showsTasks = !app.showsTasks;
        return;
      case 'editor':
        return app.attempt(() => app.editDraft());
      case 'suspend':
        return app.suspend();
      case 'redraw':
        app.screen.pause();
        return app.screen.resume();
      case 'background':
        return app.attempt(() => app.startNew());
      case 'history.search':
        return app.lists.history();
      case 'queue.edit':
        return runCommand(app, '/queue');
      case 'help':
      case 'model':
      case 'transcript':
      case 'threads':
      case 'rewind':
      case 'agents':
        return runCommand(app, `/${action}`);
      default:
    }
  }

  /** Enter on a completion that is a whole line also sends it. */
  #accept(action: ActionName): boolean {
    const { draft, io } = this.#app;
    if (action !== 'completion.accept') return false;
    const isSent = this.#lastKey === 'enter' && draft.isWholeLine;
    draft.act(action, io.size.columns - 2);
    if (isSent) this.#send();
    return true;
  }

  #send(): void {
    const app = this.#app;
    const { band } = app;
    const entry = this.#asked;
    if (band !== undefined && entry !== undefined && this.#isWriting()) {
      const text = wholeText(band.input).trim();
      if (band.focus === 'answer')
        return text === '' ? undefined : app.attempt(() => app.threads.answer(entry, { type: 'answer', answer: text }));
      app.band = { ...band, focus: 'keys', input: emptyComposer };
      return app.attempt(() => app.threads.answer(entry, { type: 'reject', ...(text !== '' && { feedback: text }) }));
    }
    const sent = app.draft.take();
    if (sent === undefined) return;
    if (app.queue.isEditing) return app.attempt(() => finishEditing(app, sent));
    if (sent.type === 'command') return runCommand(app, sent.text);
    if (sent.type === 'shell') return app.attempt(() => app.shell.run(sent.text.slice(1).trim(), false));
    if (sent.type === 'private-shell') return app.attempt(() => app.shell.run(sent.text.slice(2).trim(), true));
    app.attempt(() => app.send(sent.text, sent.attachments));
  }

  #queue(): void {
    const sent = this.#app.draft.take();
    if (sent !== undefined) this.#app.attempt(() => this.#app.enqueue(sent));
  }

  /** Ctrl+C: stops the turn, else clears the draft; twice quits. */
  #interrupt(): void {
    const app = this.#app;
    const now = app.options.clock.now();
    const isSecond = now - this.#interruptedAt < quitPauseMs;
    this.#interruptedAt = now;
    if (isSecond) return app.quit();
    app.notice = 'Ctrl+C again quits';
    if (app.threads.isRunning) app.stop();
    else if (!app.shell.stop() && !app.draft.isEmpty) {
      app.draft.clear();
      app.attempt(() => app.queue.finishEditing());
    }
  }

  /** Escape: one level at a time. */
  #back(): void {
    const app = this.#app;
    const { band } = app;
    if (band !== undefined && this.#isWriting())
      app.band = band.focus === 'reason' ? { ...band, focus: 'keys', input: emptyComposer } : leaveBand(band);
    else if (!app.draft.closeCompletion() && !app.shell.stop() && app.threads.isRunning) app.stop();
  }
}

/** The draft is the new text of a queued message; one that was sent meanwhile is followed by another one. */
async function finishEditing(app: ChatApp, sent: Submission): Promise<void> {
  const isMessage = sent.type !== 'command';
  if (!(await app.queue.finishEditing(isMessage ? sent.text : undefined)) || !isMessage) await app.enqueue(sent);
}

/** Lets the person change the arguments in the editor, and runs the call with them. */
async function revise(app: ChatApp, entry: RelayEntry): Promise<void> {
  const { relay } = entry;
  if (relay.relayKind !== 'permission') return;
  const edited = await app.edit(`${JSON.stringify(relay.params, undefined, 2)}\n`, 'input.json');
  if (edited === undefined) return;
  await app.threads.answer(entry, { type: 'revise', input: JSON.parse(edited) as unknown });
}

async function nextMode({ threads }: ChatApp): Promise<void> {
  const { modes, mode } = threads;
  const next = modes[(modes.findIndex(({ id }) => id === mode.id) + 1) % modes.length];
  if (next !== undefined) await threads.switchMode(next.id);
}
