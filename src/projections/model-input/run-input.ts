import type { AgentEvent, EventOf } from '../../events/index.ts';
import {
  blockIdsFrom,
  type Conversation,
  createConversation,
  getBlock,
  getChunks,
  getSummaries,
  reduceConversation,
} from '../../graph/conversation/index.ts';
import type { Message } from '../message.ts';
import { type MessagesOptions, ModelInput, summaryMessage } from './model-input.ts';

export interface RunInputOptions extends Pick<MessagesOptions, 'history' | 'maxOutputLength'> {
  readonly runId: string;
  /** The id of the first message of the history, which a summary of the beginning names. */
  readonly firstId?: string;
  /** The id of the message before the request, when everything before the request can be summarised on its own. */
  readonly previousId?: string;
}

/** A beginning of what a model is sent that a summary can stand for. */
export interface Beginning {
  readonly from: string;
  readonly to: string;
  /** How many messages it is. */
  readonly count: number;
}

/** What the model of one run is sent: a history, then the conversation that the events of the run make. */
export class RunInput {
  readonly #options: RunInputOptions;
  #history: readonly Message[];
  #previousId: string | undefined;
  #conversation: Conversation;
  #input: ModelInput;
  /** The step that began and of which nothing is known yet. */
  #emptyStep: number | undefined;
  /** Fragments of one stream, which are reduced as one. */
  #pending: { readonly event: EventOf<'text'>; content: string } | undefined;

  constructor(options: RunInputOptions) {
    const { runId, history = [], previousId } = options;
    this.#options = options;
    this.#history = history;
    this.#previousId = previousId;
    this.#conversation = reduceConversation(createConversation(), { type: 'harness_start', runId, agentId: runId });
    this.#input = this.#inputAfter(history);
  }

  /** Adds one more event; one of another run, or of which a model is sent nothing, is ignored. */
  add(event: AgentEvent): void {
    if (event.runId !== this.#options.runId || !sent.has(event.type)) return;
    if (event.type === 'text' && this.#pending?.event.id === event.id) {
      this.#pending.content += event.content;
      return;
    }
    this.#flush();
    if (event.type === 'text') this.#pending = { event, content: event.content };
    else if (event.type === 'summary') this.#cover(event);
    else if (event.type !== 'step_start' || event.step !== this.#emptyStep) this.#reduce(event);
    this.#emptyStep = event.type === 'step_start' ? event.step : undefined;
  }

  /** The messages so far. */
  messages(): readonly Message[] {
    this.#flush();
    return this.#input.upTo(this.#conversation, this.#options.runId);
  }

  /** The beginnings that a summary can cover, shortest first: before the request, and after each model call that ended. */
  beginnings(): Beginning[] {
    this.messages();
    const from = this.#from();
    if (from === undefined) return [];
    const found: Beginning[] = [];
    if (this.#previousId !== undefined && this.#history.length > 1)
      found.push({ from, to: this.#previousId, count: this.#history.length - 1 });
    for (const { blockId, count } of this.#input.blocks()) {
      const to = getBlock(this.#conversation, blockId)?.state === 'complete' ? this.#lastSaid(blockId) : undefined;
      if (to !== undefined) found.push({ from, to, count });
    }
    return found;
  }

  /** A summary of the beginning takes the place of the history, too, which the conversation of the run does not have. */
  #cover(event: EventOf<'summary'>): void {
    const { from, to } = event.covers;
    if (from !== this.#from()) return this.#reduce(event);
    const request = this.#history.at(-1);
    if (to === this.#previousId && request !== undefined) {
      this.#previousId = undefined;
      this.#input = this.#inputAfter([summaryMessage(event.text), request]);
      return;
    }
    const count = getSummaries(this.#conversation).length;
    this.#reduce({ ...event, covers: { from: this.#firstBlock(), to } });
    if (getSummaries(this.#conversation).length === count) return;
    this.#previousId = undefined;
    this.#input = this.#inputAfter([]);
  }

  #inputAfter(history: readonly Message[]): ModelInput {
    this.#history = history;
    return new ModelInput({ ...this.#options, history });
  }

  /** What the beginning is called: the first message of the history, else the first thing the model said. */
  #from(): string | undefined {
    if (this.#options.firstId !== undefined) return this.#options.firstId;
    this.messages();
    for (const { blockId } of this.#input.blocks()) {
      const id = this.#lastSaid(blockId);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  #firstBlock(): string {
    return blockIdsFrom(this.#conversation, this.#options.runId, 0)[0] ?? '';
  }

  /** The id of the last thing that a model said or asked for in a block. */
  #lastSaid(blockId: string): string | undefined {
    const event = getChunks(this.#conversation, blockId).findLast(({ kind }) => said.has(kind))?.event;
    return event !== undefined && 'id' in event ? event.id : undefined;
  }

  #flush(): void {
    if (this.#pending === undefined) return;
    const { event, content } = this.#pending;
    this.#pending = undefined;
    this.#reduce({ ...event, content });
  }

  #reduce(event: AgentEvent): void {
    this.#conversation = reduceConversation(this.#conversation, event);
  }
}

/** The events that what a model is sent is made of. */
const sent: ReadonlySet<string> = new Set([
  'user',
  'step_start',
  'text',
  'reasoning',
  'tool_call',
  'tool_start',
  'tool_result',
  'usage',
  'summary',
]);

const said: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call']);
