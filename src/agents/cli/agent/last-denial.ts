import type { AgentEvent } from '../../../events/vocabulary.ts';
import { toToolOutput } from '../../../events/tools.ts';

/** Tracks whether a run ended because of a denial: no text or call followed the last one. */
export class LastDenial {
  readonly #runId: string;
  #isAnswered = false;
  #denial: { readonly tool?: string; readonly reason: string } | undefined;

  constructor(runId: string) {
    this.#runId = runId;
  }

  take(event: AgentEvent): void {
    if (event.runId !== this.#runId) return;
    if (event.type === 'text' && event.content.trim() !== '') this.#continue(true);
    if (event.type === 'tool_call') this.#continue(false);
    const output = event.type === 'tool_result' ? toToolOutput(event.output) : undefined;
    if (event.type === 'tool_result' && output !== undefined && 'status' in output)
      this.#denial = { tool: event.name, reason: output.reason };
    // A program may report a denial only on stderr, before or after its output on stdout.
    if (event.type === 'warning' && event.code === 'permission_denied' && !this.#isAnswered)
      this.#denial ??= { reason: event.message };
  }

  /** Returns the reason that the run ended without an answer; undefined when it did not end by a denial. */
  get reason(): string | undefined {
    if (this.#denial === undefined) return undefined;
    const { tool = 'a call', reason } = this.#denial;
    return `ended because ${tool} was denied: ${reason.replace(/[.\s]*$/, '.')}`;
  }

  #continue(isAnswered: boolean): void {
    this.#isAnswered = isAnswered;
    this.#denial = undefined;
  }
}
