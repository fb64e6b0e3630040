import type { Clock } from '../../agents/clock.ts';
import { characterEvents, sequenceEvents, sequenceState } from './escape-sequence.ts';
import { type InputEvent, namedKey } from './key.ts';

/** How long a lone Escape, or Alt and a key, may be the start of a longer sequence. */
export const escapeTimeoutMs = 50;
/** How long the rest of a sequence that was begun may take, over a slow line. */
const sequenceTimeoutMs = 1_000;
/** How long a paste may be silent before its end marker counts as lost. */
export const pasteTimeoutMs = 1_000;

const escape = '\u001b';
const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';
const longestSequence = 65_536;

/**
 * Decodes what a terminal sends. The events do not depend on how the bytes are cut into chunks, but for the pauses
 * after which an unfinished sequence or paste is ended.
 */
export class KeyDecoder {
  readonly #clock: Clock;
  readonly #emit: (event: InputEvent) => void;
  #text = new TextDecoder();
  /** The sequence that has begun, from its Escape. */
  #sequence = '';
  /** The parts of the paste that has begun, and the end of what has arrived: the end marker can be cut. */
  #paste: { readonly parts: string[]; tail: string } | undefined;
  #stopTimer: () => void = () => {};

  constructor(clock: Clock, emit: (event: InputEvent) => void) {
    this.#clock = clock;
    this.#emit = emit;
  }

  /** Decodes a chunk, and emits what is complete. */
  write(chunk: Uint8Array): void {
    this.#stopTimer();
    const text = this.#text.decode(chunk, { stream: true });
    let at = 0;
    while (at < text.length)
      if (this.#paste === undefined) {
        const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
        at += character.length;
        this.#read(character);
      } else at = this.#readPaste(text, at);
    this.#startTimer();
  }

  /** Ends what is unfinished, and stops waiting. */
  close(): void {
    this.#stopTimer();
    this.#giveUp();
  }

  #read(character: string): void {
    if (this.#sequence === '' && character !== escape) {
      for (const event of characterEvents(character)) this.#emit(event);
      return;
    }
    if (this.#restarts(character)) this.#giveUp();
    this.#sequence += character;
    if (this.#isTwoEscapesAndAKey()) {
      this.#sequence = this.#sequence.slice(1);
      this.#emit(namedKey('escape'));
    }
    if (this.#sequence.length > longestSequence) this.#sequence = '';
    else if (sequenceState(this.#sequence) === 'complete') this.#finish();
  }

  /**
   * Whether an Escape interrupts the current sequence. It does not after a lone Escape, or in a string sequence, which
   * it can end.
   */
  #restarts(character: string): boolean {
    if (character !== escape || this.#sequence === '') return false;
    return this.#sequence !== escape && !/^.[\]P_^X]/su.test(this.#sequence);
  }

  #isTwoEscapesAndAKey(): boolean {
    return this.#sequence.length > 2 && this.#sequence.startsWith(escape + escape) && !/^..[[O]/su.test(this.#sequence);
  }

  #finish(): void {
    const sequence = this.#sequence;
    this.#sequence = '';
    if (sequence === pasteStart) this.#paste = { parts: [], tail: '' };
    else for (const event of sequenceEvents(sequence)) this.#emit(event);
  }

  /** Reads the paste up to its end marker; returns where the rest of the text begins. */
  #readPaste(text: string, from: number): number {
    const paste = this.#paste;
    if (paste === undefined) return from;
    const rest = paste.tail + text.slice(from);
    const end = rest.indexOf(pasteEnd);
    if (end < 0) {
      const kept = Math.min(rest.length, pasteEnd.length - 1);
      paste.parts.push(rest.slice(0, rest.length - kept));
      paste.tail = rest.slice(rest.length - kept);
      return text.length;
    }
    const before = paste.tail.length;
    paste.parts.push(rest.slice(0, end));
    paste.tail = '';
    this.#endPaste(true);
    return from + end + pasteEnd.length - before;
  }

  #endPaste(isComplete: boolean): void {
    const paste = this.#paste;
    if (paste === undefined) return;
    this.#paste = undefined;
    const text = (paste.parts.join('') + paste.tail).replaceAll(/\r\n?/g, '\n');
    if (text !== '') this.#emit({ type: 'paste', text, isComplete });
  }

  #startTimer(): void {
    this.#stopTimer = () => {};
    const ms = this.#waitMs();
    if (ms !== undefined) this.#stopTimer = this.#clock.after(ms, () => this.#giveUp());
  }

  #waitMs(): number | undefined {
    if (this.#paste !== undefined) return pasteTimeoutMs;
    if (this.#sequence === '') return undefined;
    return this.#sequence.length <= 2 ? escapeTimeoutMs : sequenceTimeoutMs;
  }

  /** Ends an unfinished paste or sequence: Escape and Alt with a key are keys, the rest of a cut sequence is dropped. */
  #giveUp(): void {
    this.#endPaste(false);
    const sequence = this.#sequence;
    this.#sequence = '';
    if (sequence === escape) this.#emit(namedKey('escape'));
    if (sequence === escape + escape) for (const _ of sequence) this.#emit(namedKey('escape'));
    else if (sequence.length === 2)
      for (const event of characterEvents(sequence.slice(1)))
        if (event.type === 'key') this.#emit(namedKey(event.name, { ...event, alt: true }));
  }
}
