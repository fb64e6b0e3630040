import type { AgentEvent } from '../../../events/vocabulary.ts';
import { lineText } from '../../process/line-reader.ts';
import { parseJson } from '../../../base/parse-json.ts';

interface HeldLine {
  readonly bytes: Uint8Array;
  /** The open calls that it made. */
  readonly calls: Set<string>;
}

/** The raw lines that activity may still need: those whose events are not projected yet, and those of open calls. */
export class RawLines {
  readonly #lines = new Map<number, HeldLine>();
  /** The lines of open calls, by call. */
  readonly #calls = new Map<string, number>();

  add(line: number, bytes: Uint8Array): void {
    this.#lines.set(line, { bytes, calls: new Set() });
  }

  /** Returns the record on a line, parsed if it is JSON; undefined if the line is no longer in memory. */
  readonly lineOf = (line: number): unknown => {
    const held = this.#lines.get(line);
    if (held === undefined) return undefined;
    const text = lineText(held.bytes);
    return parseJson(text, text);
  };

  /** Releases what no later event refers to, after an event was projected. */
  passed(event: AgentEvent): void {
    const { line } = event;
    if (event.type === 'tool_call' && line !== undefined) {
      this.#lines.get(line)?.calls.add(event.id);
      this.#calls.set(event.id, line);
    }
    if (event.type === 'tool_result') this.#close(event.id);
    if (line === undefined) return;
    for (const [number, { calls }] of this.#lines) {
      if (number >= line) break;
      if (calls.size === 0) this.#lines.delete(number);
    }
  }

  #close(callId: string): void {
    const line = this.#calls.get(callId);
    this.#calls.delete(callId);
    if (line !== undefined) this.#lines.get(line)?.calls.delete(callId);
  }
}
