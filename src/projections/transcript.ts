import type { AgentEvent, ContentPart, EventOf, Handlers, ToolOutput } from '../events/index.ts';
import { isKnownEvent } from '../events/index.ts';
import { cutTo, endOf, type ListEnd, pushAssistant, pushUser } from './join-messages.ts';
import { beginningAs } from './list-origin.ts';
import type { AssistantPart, Message, ToolResultPart } from './message.ts';
import { ProviderIds } from './provider-ids.ts';
import { shortenMessages, shortenOutput } from './shorten-output.ts';

export interface TranscriptOptions {
  /** What was said before; it comes first, unchanged. */
  readonly history?: readonly Message[];
  /** The id of the first message of the history, and of the last one before the request: what a summary can name. */
  readonly firstId?: string;
  readonly previousId?: string;
  /** Outputs longer than this many characters are shortened for the model; they stay whole in the log. */
  readonly maxOutputLength?: number;
}

interface UserTurn {
  readonly role: 'user';
  readonly content: string | readonly ContentPart[];
}

interface AssistantTurn {
  readonly role: 'assistant';
  readonly runId: string;
  readonly step: number | undefined;
  /** Whether its model call ended, so that no later attempt takes its place. */
  complete: boolean;
  readonly parts: OpenPart[];
  readonly started: Set<string>;
  readonly results: Map<string, ToolOutput>;
  /** What it is as messages, while nothing is added to it. */
  messages: readonly Message[] | undefined;
}

type OpenPart =
  | { type: 'text' | 'reasoning'; id: string; text: string; providerMetadata?: Record<string, unknown> }
  | { type: 'tool_call'; event: EventOf<'tool_call'> };

/** A beginning of a conversation that a summary can take the place of. */
export interface Beginning {
  readonly from: string;
  readonly to: string;
  /** How many messages it is. */
  readonly count: number;
}

const outcomeUnknown = 'The outcome of this call is unknown: it was started, but its result was never recorded.';
const noResult = 'This call has no result: the run ended before there was one.';

/**
 * What a model is sent, built event by event. Every call has exactly one result (one without an outcome says so), roles
 * alternate, what subagents did inside is left out, and an attempt at a step that another attempt replaced is left out.
 * Reasoning of a model call that was cut off is left out too: no provider takes it back.
 */
export class Transcript {
  readonly #given: readonly Message[];
  /** How the history ends. */
  #history: ListEnd;
  readonly #firstId: string | undefined;
  readonly #previousId: string | undefined;
  readonly #maxOutputLength: number;
  readonly #turns: (UserTurn | AssistantTurn)[] = [];
  /** The messages of the history and of the first turns, and how they ended before each of these turns. */
  #messages: readonly Message[];
  /** The same list, when it is a copy of our own. */
  #own: Message[] | undefined;
  #ends: ListEnd[] = [];
  readonly #openTurns = new Map<string, AssistantTurn>();
  /** The newest attempt at a step of each run, also when a person spoke since. */
  readonly #attempts = new Map<string, AssistantTurn>();
  readonly #callTurns = new Map<string, AssistantTurn>();
  readonly #executions = new Set<string>();
  readonly #inner = new Set<string>();
  #ids: ProviderIds | undefined;

  constructor({
    history = [],
    maxOutputLength = Number.POSITIVE_INFINITY,
    firstId,
    previousId,
  }: TranscriptOptions = {}) {
    this.#firstId = firstId;
    this.#previousId = previousId;
    this.#given = history;
    this.#messages = shortenMessages(history, maxOutputLength);
    this.#history = endOf(this.#messages);
    this.#maxOutputLength = maxOutputLength;
  }

  /** Takes in one more event. */
  add(event: AgentEvent): void {
    if (!isKnownEvent(event)) return;
    if (event.parentId !== undefined && this.#isInside(event.parentId)) this.#inner.add(event.runId);
    if (!this.#inner.has(event.runId))
      (Transcript.#on[event.type] as (event: AgentEvent, transcript: Transcript) => void)(event, this);
    else if (event.type === 'tool_call' || event.type === 'repl_input') this.#executions.add(event.id);
  }

  /** The conversation so far. */
  messages(): Message[] {
    const made = this.made();
    return beginningAs([...made], made);
  }

  /** The beginnings that a summary can cover, shortest first: before the request, and after each turn of an assistant. */
  beginnings(): Beginning[] {
    const found: Beginning[] = [];
    const from = this.#firstId ?? idOf(this.#turns.find(turn => turn.role === 'assistant'));
    if (from === undefined) return found;
    if (this.#previousId !== undefined && this.#history.length > 1)
      found.push({ from, to: this.#previousId, count: this.#history.length - 1 });
    const { length } = this.made();
    for (const [at, turn] of this.#turns.entries()) {
      const to = turn.role === 'assistant' && turn.complete ? idOf(turn) : undefined;
      if (to !== undefined) found.push({ from, to, count: this.#ends[at + 1]?.length ?? length });
    }
    return found;
  }

  /** The same without a copy, until something is added: the messages of turns that did not change are there already. */
  made(): readonly Message[] {
    for (const turn of this.#turns.slice(this.#ends.length)) {
      this.#ends.push(endOf(this.#messages));
      if (turn.role === 'user') pushUser(this.#ownMessages(), turn.content);
      else if ((turn.messages ??= this.#render(turn)).length > 0) pushAssistant(this.#ownMessages(), turn.messages);
    }
    return this.#messages;
  }

  #ownMessages(): Message[] {
    return (this.#own ??= this.#messages = beginningAs([...this.#messages], this.#messages));
  }

  /** Forgets the messages of a turn and of those after it. */
  #forget(turn: AssistantTurn): void {
    if (turn.messages === undefined) return;
    turn.messages = undefined;
    const at = this.#turns.lastIndexOf(turn);
    const end = this.#ends[at];
    if (end === undefined) return;
    if (this.#own !== undefined) cutTo(this.#own, end);
    this.#ends.length = at;
  }

  #user({ runId, content }: EventOf<'user'>): void {
    this.#turns.push({ role: 'user', content });
    this.#openTurns.delete(runId);
  }

  #beginStep({ runId, step }: EventOf<'step_start'>): void {
    const before = this.#attempts.get(runId);
    if (before !== undefined && before.step === step && !before.complete) this.#drop(before);
    this.#attempts.set(runId, this.#begin(runId, step));
  }

  #call(event: EventOf<'tool_call'>): void {
    const turn = this.#turnFor(event.runId);
    this.#forget(turn);
    turn.parts.push({ type: 'tool_call', event });
    this.#callTurns.set(event.id, turn);
    this.#providerIds().of(event);
  }

  #callStarted({ id }: EventOf<'tool_start'>): void {
    const turn = this.#callTurns.get(id);
    if (turn === undefined) return;
    this.#forget(turn);
    turn.started.add(id);
  }

  #result({ id, output }: EventOf<'tool_result'>): void {
    const turn = this.#callTurns.get(id);
    if (turn === undefined || turn.results.has(id)) return;
    this.#forget(turn);
    turn.results.set(id, output);
  }

  #complete({ runId }: EventOf<'usage'>): void {
    const turn = this.#openTurns.get(runId);
    if (turn === undefined) return;
    this.#forget(turn);
    turn.complete = true;
  }

  static readonly #on: Handlers<[Transcript], void> = {
    user: (event, transcript) => transcript.#user(event),
    step_start: (event, transcript) => transcript.#beginStep(event),
    text: (event, transcript) => transcript.#grow(event),
    reasoning: (event, transcript) => transcript.#grow(event),
    tool_call: (event, transcript) => transcript.#call(event),
    tool_start: (event, transcript) => transcript.#callStarted(event),
    tool_result: (event, transcript) => transcript.#result(event),
    usage: (event, transcript) => transcript.#complete(event),
    repl_input: (event, transcript) => void transcript.#executions.add(event.id),
    harness_start: skip,
    harness_end: skip,
    session: skip,
    tool_input_delta: skip,
    tool_progress: skip,
    repl_progress: skip,
    repl_output: skip,
    relay: skip,
    relay_resolved: skip,
    plan_status: skip,
    tasks: skip,
    summary: (event, transcript) => transcript.#cover(event),
    error: skip,
    warning: skip,
    file_registered: skip,
    unknown: skip,
    custom: skip,
    mode_changed: skip,
    model_changed: skip,
    branch_selected: skip,
    collapsed: skip,
    abort_requested: skip,
  };

  /** A summary stands for everything up to what it names. */
  #cover({ kind, covers, text }: EventOf<'summary'>): void {
    if (kind !== 'compaction') return;
    const summary: Message = { role: 'user', content: summaryText(text) };
    if (covers.to === this.#previousId) {
      const messages = [summary];
      const { last } = this.#history;
      if (last?.role === 'user') pushUser(messages, last.content);
      this.#beginWith(messages);
      return;
    }
    const at = this.#turns.findIndex(turn => turn.role === 'assistant' && idOf(turn) === covers.to);
    if (at === -1) return;
    this.#turns.splice(0, at + 1);
    this.#beginWith([summary]);
  }

  #beginWith(history: Message[]): void {
    this.#history = endOf(history);
    this.#own = this.#messages = history;
    this.#ends = [];
  }

  #isInside(parentId: string): boolean {
    return this.#callTurns.has(parentId) || this.#executions.has(parentId);
  }

  #begin(runId: string, step: number | undefined): AssistantTurn {
    const turn: AssistantTurn = {
      role: 'assistant',
      runId,
      step,
      complete: false,
      parts: [],
      started: new Set(),
      results: new Map(),
      messages: undefined,
    };
    this.#turns.push(turn);
    this.#openTurns.set(runId, turn);
    return turn;
  }

  /** The turn that goes on; after results a model that does not tell its steps has begun a new one. */
  #turnFor(runId: string): AssistantTurn {
    const turn = this.#openTurns.get(runId);
    return turn === undefined || turn.results.size > 0 ? this.#begin(runId, undefined) : turn;
  }

  /** Gives ids that no call of the history has. */
  #providerIds(): ProviderIds {
    if (this.#ids !== undefined) return this.#ids;
    this.#ids = new ProviderIds();
    for (const message of this.#given)
      if (message.role === 'assistant')
        for (const part of message.content) if (part.type === 'tool_call') this.#ids.reserve(part.id);
    return this.#ids;
  }

  #drop(turn: AssistantTurn): void {
    this.#forget(turn);
    this.#turns.splice(this.#turns.lastIndexOf(turn), 1);
    for (const part of turn.parts)
      if (part.type === 'tool_call') {
        this.#callTurns.delete(part.event.id);
        this.#providerIds().release(part.event.id);
      }
  }

  #grow(event: EventOf<'text'> | EventOf<'reasoning'>): void {
    const turn = this.#turnFor(event.runId);
    this.#forget(turn);
    const newest = turn.parts.at(-1);
    const isSame = (part: OpenPart) => part.type !== 'tool_call' && part.id === event.id;
    const last = newest !== undefined && isSame(newest) ? newest : turn.parts.findLast(isSame);
    const metadata = 'providerMetadata' in event ? event.providerMetadata : undefined;
    if (last === undefined || last.type !== event.type)
      turn.parts.push({
        type: event.type,
        id: event.id,
        text: event.content,
        ...(metadata && { providerMetadata: metadata }),
      });
    else {
      last.text += event.content;
      if (metadata) last.providerMetadata = metadata;
    }
  }

  #render(turn: AssistantTurn): Message[] {
    const lasting = turn.complete ? turn.parts : turn.parts.filter(part => part.type !== 'reasoning');
    const content = lasting.flatMap(part => this.#assistantPart(part));
    if (content.length === 0) return [];
    const results = turn.parts.flatMap(part => (part.type === 'tool_call' ? this.#resultPart(part.event, turn) : []));
    const said: Message = { role: 'assistant', content };
    return results.length > 0 ? [said, { role: 'tool', content: results }] : [said];
  }

  #assistantPart(part: OpenPart): AssistantPart[] {
    if (part.type !== 'tool_call') {
      const { type, text, providerMetadata } = part;
      if (text === '' && providerMetadata === undefined) return [];
      return [type === 'text' ? { type, text } : { type, text, ...(providerMetadata && { providerMetadata }) }];
    }
    const { name, input, providerMetadata } = part.event;
    const id = this.#providerIds().of(part.event);
    return [{ type: 'tool_call', id, name, input, ...(providerMetadata && { providerMetadata }) }];
  }

  #resultPart(call: EventOf<'tool_call'>, turn: AssistantTurn): ToolResultPart {
    const output = turn.results.get(call.id) ?? { error: turn.started.has(call.id) ? outcomeUnknown : noResult };
    return {
      type: 'tool_result',
      id: this.#providerIds().of(call),
      name: call.name,
      output: shortenOutput(output, this.#maxOutputLength),
    };
  }
}

/** What a model is told in the place of what a summary covers. */
export function summaryText(text: string): string {
  return `Summary of the conversation before:\n\n${text}`;
}

/** The id of the last piece of a turn, by which a summary can name it. */
function idOf(turn: UserTurn | AssistantTurn | undefined): string | undefined {
  const part = turn?.role === 'assistant' ? turn.parts.at(-1) : undefined;
  return part?.type === 'tool_call' ? part.event.id : part?.id;
}

function skip(): void {}
