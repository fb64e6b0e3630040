import type { AgentEvent } from '../../events/vocabulary.ts';

interface Chunk {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Detects when a request of the AI SDK stream only waits for a person: an approval is pending, and nothing is being
 * written or executed. Then the response can end, and the client sends the answer with its next request.
 */
export class Waiting {
  /** The approvals that were asked for, with their calls. */
  readonly #asked = new Map<string, string>();
  /** The ids of text, reasoning and tool inputs that are streaming. */
  readonly #words = new Set<string>();
  /** Calls without a result and without a pending approval. */
  readonly #calls = new Set<string>();
  readonly #started = new Set<string>();

  take(event: AgentEvent, chunks: readonly unknown[]): void {
    for (const chunk of chunks as readonly Chunk[]) this.#takeChunk(chunk);
    if (event.type === 'relay_resolved') {
      const call = this.#asked.get(event.relayId);
      if (this.#asked.delete(event.relayId) && call !== undefined) this.#calls.add(call);
    }
    if (event.type === 'tool_start') this.#started.add(event.id);
    if (event.type === 'tool_result') this.#started.delete(event.id);
    // A call that started an agent waits for it.
    if (event.type === 'harness_start' && event.parentId !== undefined) {
      this.#started.delete(event.parentId);
      this.#calls.delete(event.parentId);
    }
  }

  /** `maybe` while a call has not started that may still be asked about. */
  get state(): 'yes' | 'maybe' | 'no' {
    if (this.#asked.size === 0 || this.#words.size > 0 || this.#started.size > 0) return 'no';
    return this.#calls.size === 0 ? 'yes' : 'maybe';
  }

  #takeChunk(chunk: Chunk): void {
    const { type } = chunk;
    const id = String(chunk['toolCallId'] ?? chunk['id']);
    if (/^(text|reasoning|tool-input)-start$/.test(type)) this.#words.add(id);
    if (/^(text|reasoning)-end$|^tool-(input-available|output-)/.test(type)) this.#words.delete(id);
    if (type === 'tool-input-available') this.#calls.add(id);
    if (type.startsWith('tool-output-')) this.#calls.delete(id);
    if (type !== 'tool-approval-request' || chunk['isAutomatic'] === true) return;
    this.#asked.set(String(chunk['approvalId']), id);
    this.#calls.delete(id);
  }
}
