import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import type { Message } from '../message.ts';
import { RunInput } from './run-input.ts';
import { shortenOutput } from '../shorten-output.ts';
import { parseCode } from './code-fences.ts';

/** The code of a step, as far as it ran. */
export interface Cell {
  readonly input: EventOf<'repl_input'>;
  readonly output?: EventOf<'repl_output'>;
}

/** The reply to an answer without code. */
const nudge =
  'Your answer has no code to run. Go on with a ```js block, or give the answer with FINAL(answer) in one. If your last message was the answer, repeat it as plain text.';
/** The reply to an answer whose code was cut off. */
const cutOff =
  'Your code block was not closed, so nothing of it was run. Write it again, shorter, and close it with ```.';

/** The code of the warning about lost variables. */
export const replLost = 'repl_lost';

/** The messages to the model of a run, built from the run's own events: the output of cells is a user message. */
export class RlmTranscript {
  readonly #input: RunInput;
  readonly #runId: string;
  readonly #maxShownLength: number;
  #answer = '';
  #stderr = '';
  #complete = false;
  #steered = false;
  #nudged = false;
  #cell: Cell | undefined;

  constructor({
    runId,
    history,
    maxShownLength,
  }: { runId: string; history: readonly Message[]; maxShownLength: number }) {
    this.#runId = runId;
    this.#maxShownLength = maxShownLength;
    this.#input = new RunInput({ runId, history });
  }

  /** The model's text in the newest step. */
  get answer(): string {
    return this.#answer;
  }

  /** The code that ran in the newest step. */
  get cell(): Cell | undefined {
    return this.#cell;
  }

  /** Whether the newest step answers a request for code. */
  get nudged(): boolean {
    return this.#nudged;
  }

  messages(): readonly Message[] {
    return this.#input.messages();
  }

  /** Adds the next event of the run. */
  add(event: AgentEvent): void {
    if (event.type === 'step_start') this.#beginStep();
    else if (event.type === 'text' && this.#cell === undefined) this.#answer += event.content;
    else if (event.type === 'usage') this.#complete = true;
    else if (event.type === 'user') this.#steered = true;
    else if (event.type === 'repl_input') {
      this.#cell = { input: event };
      this.#stderr = '';
    } else if (event.type === 'repl_progress' && event.stream === 'stderr') this.#stderr += event.chunk;
    else if (event.type === 'repl_output' && this.#cell !== undefined) {
      this.#cell = { ...this.#cell, output: event };
      this.#say(this.#shown(event));
    } else if (event.type === 'warning' && event.code === replLost) this.#say(event.message);
    if (passedOn.has(event.type)) this.#input.add(event);
  }

  #beginStep(): void {
    if (this.#complete) {
      this.#nudged = this.#cell === undefined && !this.#steered;
      if (this.#nudged) this.#say(parseCode(this.#answer).unclosed ? cutOff : nudge);
    }
    this.#complete = false;
    this.#steered = false;
    this.#answer = '';
    this.#cell = undefined;
  }

  #say(content: string): void {
    this.#input.add({ type: 'user', runId: this.#runId, content });
  }

  #shown({ stdout, error, truncated }: EventOf<'repl_output'>): string {
    const parts = [
      ...(stdout === '' ? [] : [stdout.trimEnd()]),
      ...(this.#stderr === '' ? [] : [`stderr:\n${this.#stderr.trimEnd()}`]),
      ...(truncated === true ? ['[more was printed than is kept]'] : []),
      ...(error === undefined ? [] : [`error: ${error.trimEnd()}`]),
    ];
    const text = parts.length === 0 ? '[nothing was printed]' : parts.join('\n\n');
    const output = shortenOutput({ context: text }, this.#maxShownLength);
    return `Output:\n${'context' in output ? String(output.context) : text}`;
  }
}

/** Function calls are omitted: their outcomes are in the printed output. */
const passedOn: ReadonlySet<string> = new Set(['step_start', 'text', 'reasoning', 'usage', 'user']);
