import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { blockIdsFrom, getBlock, getChunks, getRun, getSummaries } from '../../graph/conversation/queries.ts';
import { type Conversation, createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import type { Message } from '../message.ts';
import { fitHistory, pushMessage } from './history.ts';
import type { InputSpan } from './input-span.ts';
import { type MessagesOptions, ModelInput } from './model-input.ts';
import { compactionMessage, isObservation, summaryMessages } from './summary-messages.ts';

export interface RunInputOptions extends Pick<MessagesOptions, 'history' | 'maxOutputLength'> {
  readonly runId: string;
  /** The id of the first message of the history, which a summary of the beginning names. */
  readonly firstId?: string;
  /** The id of the message before the request, when everything before the request can be summarised on its own. */
  readonly previousId?: string;
  /** The spans of the history, so that summaries can cover parts of it. */
  readonly spans?: readonly InputSpan[];
}

/** A beginning of the model input that a summary can replace. */
export interface Beginning {
  readonly from: string;
  readonly to: string;
  /** How many messages it is. */
  readonly count: number;
}

/** The model input of one run: a history, then the conversation that the events of the run form. */
export class RunInput {
  readonly #options: RunInputOptions;
  #history: readonly Message[];
  #continuesObservations = false;
  #past: readonly InputSpan[];
  #previousId: string | undefined;
  #conversation: Conversation;
  #input: ModelInput;
  #first: Message | undefined;
  #list: readonly Message[] | undefined;
  /** The step that began, until something happens in it. */
  #step: EventOf<'step_start'> | undefined;
  /** Fragments of one stream, which are reduced as one. */
  #text: { readonly event: EventOf<'text'>; content: string } | undefined;
  /** Calls that started, until their results come. */
  readonly #starts = new Map<string, EventOf<'tool_start'>>();

  constructor(options: RunInputOptions) {
    const { runId, history = [], previousId, spans = [], maxOutputLength = Number.POSITIVE_INFINITY } = options;
    this.#options = options;
    this.#history = history;
    this.#past = spans.map(span => ({ ...span, messages: fitHistory(span.messages, maxOutputLength) }));
    this.#previousId = previousId;
    this.#conversation = reduceConversation(createConversation(), { type: 'harness_start', runId, agentId: runId });
    this.#input = this.#inputAfter(
      history,
      spans.some(({ summary }) => summary !== undefined && isObservation(summary)),
    );
  }

  /** The message before all others but those of the system. */
  get first(): Message | undefined {
    return this.#first;
  }

  /** Outputs longer than this many characters are shortened. */
  get maxOutputLength(): number | undefined {
    return this.#options.maxOutputLength;
  }

  /** Puts a message before all others but those of the system; no summary covers it. */
  beginWith(message: Message): void {
    this.#first = message;
    this.#input = this.#inputAfter(this.#history, this.#continuesObservations);
  }

  /** Adds one more event; one of another run, or of which a model is sent nothing, is ignored. */
  add(event: AgentEvent): void {
    if (event.runId !== this.#options.runId || !sent.has(event.type)) return;
    if (event.type === 'text' && event.providerMetadata === undefined && this.#text?.event.id === event.id) {
      this.#text.content += event.content;
      return;
    }
    if (event.type === 'step_start') this.#beginStep(event);
    else {
      this.#flush();
      if (event.type === 'text' && event.providerMetadata === undefined) this.#text = { event, content: event.content };
      else if (event.type === 'summary') this.#cover(event);
      else if (event.type === 'tool_start') this.#starts.set(event.id, event);
      else this.#addOther(event);
    }
  }

  /** The messages so far. */
  messages(): readonly Message[] {
    const { runId } = this.#options;
    // A step that was not begun before replaces no attempt.
    if (this.#step?.step === getRun(this.#conversation, runId)?.step) this.#flush();
    else this.#flushText();
    this.#flushStarts();
    return (this.#list ??= this.#input.upTo(this.#conversation, runId));
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

  /** Returns the spans of the history and of the run, in order, without incomplete assistant blocks of the run. */
  spans(): { readonly history: readonly InputSpan[]; readonly run: readonly InputSpan[] } {
    this.messages();
    const run = this.#input.spans(this.#conversation);
    return {
      history: this.#past,
      run: run.filter(({ block }) => block?.role !== 'assistant' || block.state === 'complete'),
    };
  }

  /** Replaces spans of the history, of the run, or from the history up to a span of the run with a summary. */
  #coverSpans(event: EventOf<'summary'>): void {
    const named = (id: string) => (span: InputSpan) => span.name === id || span.block?.messageId === id;
    const from = this.#past.findIndex(named(event.covers.from));
    const to = this.#past.findLastIndex(named(event.covers.to));
    const before = getSummaries(this.#conversation).length;
    if (from >= 0 && to >= from) {
      const { id, text, kind } = event;
      const summary = { id, text, kind, event, fromBlockId: '', toBlockId: '' };
      this.#past = this.#past.toSpliced(from, to - from + 1, { name: id, messages: [], summary });
    } else {
      const covers = from < 0 ? event.covers : { from: this.#firstBlock(), to: event.covers.to };
      this.#reduce({ ...event, covers });
      if (getSummaries(this.#conversation).length === before) return;
      if (from >= 0) this.#past = this.#past.slice(0, from);
    }
    this.#layOutPast();
  }

  /** Rebuilds the history from its spans. */
  #layOutPast(): void {
    const summaries = this.#past.flatMap(({ summary }) => summary ?? []);
    const isContinued = getSummaries(this.#conversation).some(isObservation);
    const shown = summaryMessages(summaries, { isContinued });
    const history = this.#history.filter(({ role }) => role === 'system');
    for (const { summary, messages } of this.#past)
      for (const message of summary === undefined ? messages : (shown.get(summary) ?? []))
        pushMessage(history, message);
    this.#previousId = undefined;
    this.#input = this.#inputAfter(history, summaries.some(isObservation));
  }

  /** Applies a summary; one of the beginning also replaces the history, which is not in the conversation of the run. */
  #cover(event: EventOf<'summary'>): void {
    if (event.active === false) return;
    if (this.#options.spans !== undefined) return this.#coverSpans(event);
    const { from, to } = event.covers;
    if (from !== this.#from()) return this.#reduce(event);
    const request = this.#history.at(-1);
    if (to === this.#previousId && request !== undefined) {
      this.#previousId = undefined;
      this.#input = this.#inputAfter([compactionMessage(event.text), request]);
      return;
    }
    const count = getSummaries(this.#conversation).length;
    this.#reduce({ ...event, covers: { from: this.#firstBlock(), to } });
    if (getSummaries(this.#conversation).length === count) return;
    this.#previousId = undefined;
    this.#input = this.#inputAfter([]);
  }

  #inputAfter(history: readonly Message[], continuesObservations = false): ModelInput {
    this.#history = history;
    this.#continuesObservations = continuesObservations;
    this.#list = undefined;
    return new ModelInput({ ...this.#options, history: this.#afterFirst(history), continuesObservations });
  }

  #afterFirst(history: readonly Message[]): readonly Message[] {
    if (this.#first === undefined) return history;
    const isSystem = ({ role }: Message) => role === 'system';
    const messages = [...history.filter(isSystem), this.#first];
    for (const message of history) if (!isSystem(message)) pushMessage(messages, message);
    return messages;
  }

  /** Returns the id of the beginning: the first message of the history, else the first output of the model. */
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

  /** Returns the id of the last output of a model in a block. */
  #lastSaid(blockId: string): string | undefined {
    const event = getChunks(this.#conversation, blockId).findLast(({ kind }) => modelKinds.has(kind))?.event;
    return event !== undefined && 'id' in event ? event.id : undefined;
  }

  #beginStep(event: EventOf<'step_start'>): void {
    if (this.#step?.step === event.step && this.#text === undefined) return;
    this.#flush();
    this.#flushStarts();
    this.#step = event;
  }

  #addOther(event: AgentEvent): void {
    if (event.type === 'tool_call') this.#flushStarts();
    else if (event.type === 'tool_result') this.#starts.delete(event.id);
    this.#reduce(event);
  }

  #flush(): void {
    if (this.#step !== undefined) this.#reduce(this.#step);
    this.#step = undefined;
    this.#flushText();
  }

  #flushText(): void {
    if (this.#text === undefined) return;
    const { event, content } = this.#text;
    this.#text = undefined;
    this.#reduce({ ...event, content });
  }

  #flushStarts(): void {
    for (const event of this.#starts.values()) this.#reduce(event);
    this.#starts.clear();
  }

  #reduce(event: AgentEvent): void {
    this.#list = undefined;
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

const modelKinds: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call']);
