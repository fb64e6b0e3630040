import { type Composer, emptyComposer, insertText, pasteText, wholeText } from '../composer/composer.ts';
import { editDraft, isDraftAction } from '../composer/edit-draft.ts';
import type { ActionName, ConversationAction, KeyCondition, KeyContext } from '../keys/actions.ts';
import type { InputEvent, Key } from '../keys/key.ts';
import { KeyDecoder } from '../keys/key-decoder.ts';
import { KeyMatcher } from '../keys/key-map.ts';
import type { Chat } from './chat.ts';
import { runCommand } from './chat-commands.ts';
import { listHistory } from './chat-lists.ts';
import { actOnBand, type BandEffect, isWriting, leaveBand, typeOnBand } from './relay-band.ts';

/** Two presses of Ctrl+C within this time, with no other key between them, quit. */
const quitPauseMs = 2_000;

/** Turns what a person types into actions of the chat. */
export class ChatInput {
  readonly #chat: Chat;
  readonly #decoder: KeyDecoder;
  readonly #matcher: KeyMatcher;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #lastKey = '';

  constructor(chat: Chat) {
    this.#chat = chat;
    this.#decoder = new KeyDecoder(chat.options.clock, event => this.#take(event));
    this.#matcher = new KeyMatcher(chat.keys);
  }

  write(bytes: Uint8Array): void {
    this.#decoder.write(bytes);
  }

  #take(event: InputEvent): void {
    const chat = this.#chat;
    if (event.type === 'focus') {
      chat.isFocused = event.isFocused;
      return;
    }
    if (event.type === 'reply') return;
    chat.notice = undefined;
    if (event.type === 'key') this.#key(event);
    else if (chat.list.isOpen) chat.list.type(event.text);
    else if (this.#isWriting) this.#write(composer => pasteText(composer, event.text));
    else chat.attempt(() => chat.draft.paste(event.text));
    chat.screen.request(true);
  }

  #key(key: Key): void {
    const { transcript, options } = this.#chat;
    if (transcript.isTyping) {
      if (transcript.type(key)) this.#chat.actOnTranscript('viewer.next');
      return;
    }
    const now = options.clock.now();
    const meaning = this.#matcher.press(key, { context: this.#context, conditions: this.#conditions(), now });
    this.#lastKey = key.name;
    // Only two presses in a row quit.
    if (meaning.type !== 'action' || meaning.action !== 'interrupt') this.#interruptedAt = Number.NEGATIVE_INFINITY;
    if (meaning.type === 'action') this.#act(meaning.action);
    else if (meaning.type === 'text' && !transcript.isOpen) this.#text(meaning.text);
  }

  get #context(): KeyContext {
    const { transcript, list, isAnswering } = this.#chat;
    if (transcript.isOpen) return 'viewer';
    if (list.isOpen) return 'list';
    return isAnswering ? 'relay' : 'chat';
  }

  #conditions(): ReadonlySet<KeyCondition> {
    const { draft, threads } = this.#chat;
    const conditions = new Set<KeyCondition>(threads.isRunning ? ['running', 'movable'] : ['idle']);
    if (draft.completion !== undefined && !this.#isWriting) conditions.add('completing');
    if (draft.isEmpty && !this.#isWriting) conditions.add('empty');
    if (threads.pending.length > 0) conditions.add('waiting');
    return conditions;
  }

  /** Whether the person writes a reason or an answer. */
  get #isWriting(): boolean {
    return this.#chat.band !== undefined && isWriting(this.#chat.band);
  }

  #write(change: (composer: Composer) => Composer): void {
    const { band } = this.#chat;
    if (band !== undefined) this.#chat.band = { ...band, input: change(band.input) };
  }

  #apply({ band, answer, notice, revises = false }: BandEffect): void {
    const chat = this.#chat;
    const { asked } = chat;
    if (band !== undefined) chat.band = band;
    if (notice !== undefined) chat.notice = notice;
    if (asked !== undefined && answer !== undefined) chat.attempt(() => chat.threads.answer(asked, answer));
    if (asked !== undefined && revises) chat.attempt(() => chat.revise(asked));
  }

  #text(text: string): void {
    const { list, band, draft, threads, isAnswering } = this.#chat;
    if (list.isOpen) return list.type(text);
    if (this.#isWriting) return this.#write(composer => insertText(composer, text));
    const effect = band !== undefined && isAnswering ? typeOnBand(band, text, threads.pending) : undefined;
    if (effect === undefined) draft.type(text);
    else this.#apply(effect);
  }

  #act(action: ActionName): void {
    const chat = this.#chat;
    const { band, threads, draft, place } = chat;
    if (chat.transcript.isOpen) return chat.actOnTranscript(action);
    if (chat.list.act(action)) return;
    const effect = band && actOnBand(band, action, { pending: threads.pending, draft: draft.composer, place });
    if (effect !== undefined) return this.#apply(effect);
    const width = chat.screen.io.size.columns - 2;
    if (this.#isWriting && isDraftAction(action)) return this.#write(composer => editDraft(composer, action, width));
    // Enter on a completion that is a whole line also sends it.
    const isSent = action === 'completion.accept' && this.#lastKey === 'enter' && draft.isWholeLine;
    if (draft.act(action, width)) return isSent ? this.#send() : undefined;
    const actions: Partial<Record<ActionName, () => void>> = this.#actions;
    actions[action]?.();
  }

  /** The handlers of the conversation's actions. */
  readonly #actions: Readonly<Record<ConversationAction, () => void>> = {
    'relay.enter': () => this.#enterRelay(),
    'relay.enter-with-draft': () => this.#enterRelay(),
    send: () => this.#send(),
    queue: () => this.#queue(),
    interrupt: () => this.#interrupt(),
    back: () => this.#back(),
    quit: () => this.#chat.quit(),
    mode: () => this.#chat.attempt(() => this.#chat.switchToNextMode()),
    editor: () => this.#run('/editor'),
    suspend: () => this.#chat.suspend(),
    redraw: () => {
      this.#chat.screen.pause();
      this.#chat.screen.resume();
    },
    background: () => this.#run('/bg'),
    'history.search': () => listHistory(this.#chat, ''),
    'queue.edit': () => this.#run('/queue'),
    tasks: () => this.#run('/tasks'),
    help: () => this.#run('/help'),
    model: () => this.#run('/model'),
    transcript: () => this.#run('/transcript'),
    threads: () => this.#run('/threads'),
    rewind: () => this.#run('/rewind'),
    agents: () => this.#run('/agents'),
  };

  #run(command: string): void {
    runCommand(this.#chat, command);
  }

  #enterRelay(): void {
    const { band, draft } = this.#chat;
    this.#chat.enterRelay(band?.relayId, draft.composer);
  }

  #send(): void {
    const chat = this.#chat;
    const { band, asked } = chat;
    if (band !== undefined && asked !== undefined && this.#isWriting) {
      const text = wholeText(band.input).trim();
      if (band.focus === 'reason') {
        const feedback = text === '' ? {} : { feedback: text };
        this.#apply({
          band: { ...band, focus: 'keys', input: emptyComposer },
          answer: { type: 'reject', ...feedback },
        });
      } else if (text !== '') this.#apply({ answer: { type: 'answer', answer: text } });
      return;
    }
    const sent = chat.draft.take();
    if (sent === undefined) return;
    const { type, text } = sent;
    if (chat.queue.isEditing) chat.attempt(() => chat.finishEditing(sent));
    else if (type === 'command') this.#run(text);
    else if (type === 'shell') chat.attempt(() => chat.runShell(text.slice(1).trim(), false));
    else if (type === 'private-shell') chat.attempt(() => chat.runShell(text.slice(2).trim(), true));
    else chat.attempt(() => chat.send(sent));
  }

  #queue(): void {
    const sent = this.#chat.draft.take();
    if (sent !== undefined) this.#chat.attempt(() => this.#chat.enqueue(sent));
  }

  /** Ctrl+C: stops the turn, else clears the draft; twice quits. */
  #interrupt(): void {
    const chat = this.#chat;
    const now = chat.options.clock.now();
    const isSecond = now - this.#interruptedAt < quitPauseMs;
    this.#interruptedAt = now;
    if (isSecond) return chat.quit();
    chat.notice = 'Ctrl+C again quits';
    if (chat.threads.isRunning) chat.stop();
    else if (!chat.stopShell() && !chat.draft.isEmpty) {
      chat.draft.clear();
      chat.attempt(() => chat.queue.finishEditing());
    }
  }

  /** Escape: one level at a time. */
  #back(): void {
    const chat = this.#chat;
    const { band } = chat;
    if (band !== undefined && this.#isWriting)
      chat.band = band.focus === 'reason' ? { ...band, focus: 'keys', input: emptyComposer } : leaveBand(band);
    else if (!chat.draft.closeCompletion() && !chat.stopShell() && chat.threads.isRunning) chat.stop();
  }
}
