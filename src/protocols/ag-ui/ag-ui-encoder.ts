import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { ContentPart } from '../../events/content.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { name } from '../../base/options/option-fields.ts';
import type { Encoder } from '../encoder.ts';
import { type Fact, type FactHandlers, type FactOf, toFinishReason, handleFact } from '../request/fact.ts';
import type { OpenRun } from '../request/open.ts';
import { foldFields, RequestFold, type RequestOptions } from '../request/request-fold.ts';
import type { RequestStanding } from '../request/standing.ts';
import {
  type AgUiEvent,
  type AgUiMessage,
  type AgUiOutcome,
  type AgUiState,
  type AgUiVersion,
  agUiVersions,
} from './ag-ui-event.ts';
import { isForClient, toInterrupt } from './interrupt.ts';
import { reasoningMessageId, tasksMessageId, textMessageId, TextParts } from './ag-ui-messages.ts';
import { ToolCalls } from './tool-calls.ts';

export interface AgUiOptions extends RequestOptions {
  /** The protocol version of the client; the newest when absent. */
  readonly version?: AgUiVersion | undefined;
  readonly threadId?: string | undefined;
  /** The client's id of its run; that of the root run when absent. */
  readonly clientRunId?: string | undefined;
  /** The seq up to which the client has the request: these events are folded and not sent; none when absent. */
  readonly after?: number | undefined;
  /** Message lists to send as snapshots, in order; each replaces the messages of the client. None when absent. */
  readonly snapshots?: readonly (readonly AgUiMessage[])[] | undefined;
  /** The ids of messages that the client has; user messages with these ids are not sent. */
  readonly known?: ReadonlySet<string> | undefined;
  /** The calls whose results the client has: they are not sent. */
  readonly answered?: ReadonlySet<string> | undefined;
}

/** Encodes a request for AG-UI clients, for which a run ends when people are asked or the client has calls to execute. */
export interface AgUiEncoder extends Encoder<AgUiEvent> {
  /** Whether the request works or only waits for people. */
  readonly standing: RequestStanding;
  /** Ends the client's run with its interrupts and pending client calls; the encoder must not be used afterwards. */
  interrupt(): AgUiEvent[];
}

const checkOptions = optionsCheck<AgUiOptions>('agUiEncoder')(() => ({
  ...foldFields(),
  version: z.literal(agUiVersions).optional(),
  threadId: name().optional(),
  clientRunId: name().optional(),
  after: z.number().optional(),
  snapshots: z.array(z.array(z.looseObject({}))).optional(),
  known: z.instanceof(Set).optional(),
  answered: z.instanceof(Set).optional(),
}));

/** Encodes one request, the root run and everything it caused, as one run of AG-UI. */
export function agUiEncoder(options: AgUiOptions = {}): AgUiEncoder {
  checkOptions(options);
  return new RunStream(options);
}

class RunStream implements AgUiEncoder {
  readonly #options: AgUiOptions;
  readonly #fold: RequestFold;
  readonly #calls = new ToolCalls();
  /** The subagents that are open, and all that this stream has named. */
  readonly #agents = new Map<string, OpenRun>();
  readonly #named = new Set<string>();
  #state: AgUiState = {};
  #root: OpenRun | undefined;
  #isOpen = false;
  #seq = 0;
  #steps = 0;
  #isInStep = false;
  /** The text or reasoning that is being written. */
  #words: { readonly type: 'text' | 'reasoning'; readonly messageId: string } | undefined;
  /** The texts and reasoning of this step, and those of its attempts that were replaced. */
  #texts = new Set<string>();
  #replaced = new Set<string>();
  readonly #parts = new TextParts();

  constructor(options: AgUiOptions) {
    const { runId, priceOf } = options;
    this.#options = options;
    this.#fold = new RequestFold({ runId, priceOf });
  }

  get standing(): RequestStanding {
    return this.#fold.standing;
  }

  encode(event: AgentEvent): AgUiEvent[] {
    this.#seq = event.seq ?? this.#seq;
    const sent = this.#encode(this.#fold.take(event));
    if (this.#seq > (this.#options.after ?? 0) || event.seq === undefined) return this.#open(sent);
    // The client already has this event, and the end of its previous run closed everything that was open.
    this.#close();
    this.#named.clear();
    return [];
  }

  end(): AgUiEvent[] {
    return this.#open(this.#encode(this.#fold.end()));
  }

  interrupt(): AgUiEvent[] {
    const relays = this.#fold.relays;
    const interrupts = relays.filter(relay => !isForClient(relay)).map(relay => toInterrupt(relay, this.#seq));
    const suspended = [...this.#agents.keys()].toReversed().map((subagentRunId): AgUiEvent => {
      const interruptIds = interrupts.filter(each => each.subagentRunId === subagentRunId).map(({ id }) => id);
      return { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'suspended', interruptIds } };
    });
    const ended = [...this.#close(), ...suspended, this.#update({ seq: this.#seq })];
    if (interrupts.length > 0)
      return this.#open([...ended, this.#finished({ outcome: { type: 'interrupt', interrupts } })]);
    const pendingToolCallIds = relays.flatMap(({ call }) => (call === undefined ? [] : [call.key]));
    // Clients before 1.0 find the calls of their tools by themselves.
    const pending = this.#options.version === '0.0' ? {} : { pendingToolCallIds };
    return this.#open([...ended, this.#finished({ outcome: { type: 'success', ...pending } })]);
  }

  #encode(facts: readonly Fact[]): AgUiEvent[] {
    return facts.flatMap(fact => handleFact(this.#on, fact));
  }

  /** Prepends the start of the run to its first events: earlier messages, the state, and the active agents. */
  #open(sent: AgUiEvent[]): AgUiEvent[] {
    const root = this.#root;
    if (this.#isOpen || root === undefined) return sent;
    this.#isOpen = true;
    const { snapshots = [], version = '1.0' } = this.#options;
    const agents = [...this.#agents.values()].filter(({ runId }) => !this.#named.has(runId));
    const snapshot = { ...this.#state, agent: root.agentName, seq: this.#seq, ...defined({ model: root.model }) };
    return [
      { type: 'RUN_STARTED', ...this.#ids(), ...(version !== '0.0' && { protocolVersion: version }) },
      ...snapshots.map(messages => ({ type: 'MESSAGES_SNAPSHOT' as const, messages })),
      { type: 'STATE_SNAPSHOT', snapshot },
      ...agents.map(agent => this.#startAgent(agent)),
      ...sent,
    ];
  }

  readonly #on: FactHandlers<AgUiEvent[]> = {
    started: ({ run }) => {
      this.#root = run;
      return [];
    },
    step: ({ attempt }) => this.#beginStep(attempt),
    text: fact => this.#write(fact),
    reasoning: fact => this.#write(fact),
    input: fact => [...this.#endWords(), ...this.#calls.input(fact)],
    call: ({ call }) => [...(call.run.parent === undefined ? this.#endWords() : []), ...this.#calls.call(call)],
    progress: ({ call: { key: toolCallId, toolName }, progress }) => [
      custom('singletree.tool-progress', { toolCallId, toolName, ...progress }),
    ],
    result: fact => (this.#options.answered?.has(fact.call.key) === true ? [] : this.#calls.result(fact)),
    asked: ({ relay }) => (isForClient(relay) ? [] : [custom('singletree.relay', toInterrupt(relay, this.#seq))]),
    decided: ({ relay, decision }) =>
      isForClient(relay) ? [] : [custom('singletree.relay-decided', { id: relay.id, ...decision })],
    'agent-started': ({ agent }) => {
      // Clients reject a second start of a subagent.
      if (this.#named.has(agent.runId)) return [];
      this.#agents.set(agent.runId, agent);
      return [this.#startAgent(agent)];
    },
    'agent-ended': ({ agent: { runId: subagentRunId }, outcome }) => {
      if (!this.#agents.delete(subagentRunId)) return [];
      if ('text' in outcome) return [{ type: 'SUBAGENT_FINISHED', subagentRunId, result: outcome.text }];
      return [{ type: 'SUBAGENT_ERROR', subagentRunId, message: outcome.error }];
    },
    plan: ({ change: { planId, to: status } }) => [this.#update({ plan: { planId, status } })],
    tasks: ({ tasks }) => [
      this.#update({ tasks }),
      {
        type: 'ACTIVITY_SNAPSHOT',
        messageId: tasksMessageId(this.#root?.runId ?? ''),
        activityType: 'PLAN',
        content: { tasks },
        replace: true,
      },
    ],
    file: ({ file }) => [custom('singletree.file', file)],
    custom: ({ name: title, data }) => [custom(title, data)],
    warning: ({ warning }) => [custom('singletree.warning', warning)],
    user_message: ({ id: messageId, content }) => {
      this.#parts.end();
      if (this.#options.known?.has(messageId) === true) return [];
      return [
        ...this.#endWords(),
        { type: 'TEXT_MESSAGE_START', messageId, role: 'user' },
        { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: spokenText(content) },
        { type: 'TEXT_MESSAGE_END', messageId },
      ];
    },
    ended: fact => this.#end(fact),
  };

  #ids(): { readonly threadId: string; readonly runId: string } {
    const own = this.#root?.runId ?? '';
    return { threadId: this.#options.threadId ?? own, runId: this.#options.clientRunId ?? own };
  }

  #beginStep(attempt: number): AgUiEvent[] {
    const ended = this.#close();
    const dropped = attempt > 1 ? [...this.#texts] : [];
    this.#replaced = attempt > 1 ? new Set([...this.#replaced, ...this.#texts]) : new Set();
    this.#texts = new Set();
    this.#calls.parentMessageId = undefined;
    this.#isInStep = true;
    const stepName = `step ${++this.#steps}`;
    return [...ended, ...dropped.flatMap(markReplaced), { type: 'STEP_STARTED', stepName }];
  }

  #write({ type, id, text: delta }: FactOf<'text' | 'reasoning'>): AgUiEvent[] {
    const runId = this.#root?.runId ?? '';
    const part = this.#parts.take(id);
    const own = type === 'reasoning' ? reasoningMessageId(runId, part) : textMessageId(runId, part);
    const messageId = this.#replaced.has(own) ? `${own}~${this.#steps}` : own;
    this.#texts.add(messageId);
    if (type === 'reasoning') {
      const content: AgUiEvent = { type: 'REASONING_MESSAGE_CONTENT', messageId, delta };
      if (this.#words?.messageId === messageId) return [content];
      return [
        ...this.#beginWords({ type, messageId }),
        { type: 'REASONING_START', messageId },
        { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
        content,
      ];
    }
    const content: AgUiEvent = { type: 'TEXT_MESSAGE_CONTENT', messageId, delta };
    if (this.#words?.messageId === messageId) return [content];
    this.#calls.parentMessageId = messageId;
    return [
      ...this.#beginWords({ type, messageId }),
      { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
      content,
    ];
  }

  #beginWords(words: { readonly type: 'text' | 'reasoning'; readonly messageId: string }): AgUiEvent[] {
    const ended = this.#endWords();
    this.#words = words;
    return ended;
  }

  #endWords(): AgUiEvent[] {
    const words = this.#words;
    this.#words = undefined;
    if (words === undefined) return [];
    const { type, messageId } = words;
    if (type === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId }];
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  }

  /** Closes what is being written, and the step. */
  #close(): AgUiEvent[] {
    const open = [...this.#endWords(), ...this.#calls.endInputs()];
    if (!this.#isInStep) return open;
    this.#isInStep = false;
    return [...open, { type: 'STEP_FINISHED', stepName: `step ${this.#steps}` }];
  }

  #startAgent({ runId: subagentRunId, agentName, cause, parent }: OpenRun): AgUiEvent {
    const parentSubagentRunId = parent && this.#named.has(parent.runId) ? parent.runId : undefined;
    this.#named.add(subagentRunId);
    const origin = defined({ parentSubagentRunId, parentToolCallId: cause?.key });
    return { type: 'SUBAGENT_STARTED', subagentRunId, name: agentName, ...origin };
  }

  #update(changed: AgUiState): AgUiEvent {
    this.#state = { ...this.#state, ...changed };
    const delta = Object.entries(changed).map(([key, value]) => ({ op: 'add' as const, path: `/${key}`, value }));
    return { type: 'STATE_DELTA', delta };
  }

  #finished(fields: {
    readonly outcome?: AgUiOutcome;
    readonly result?: { readonly finishReason: string };
    readonly usage?: readonly Readonly<Record<string, unknown>>[];
  }): AgUiEvent {
    return { type: 'RUN_FINISHED', ...this.#ids(), ...fields };
  }

  #end({ outcome, totals }: FactOf<'ended'>): AgUiEvent[] {
    if (this.#root === undefined) return [failed('There is no run.', 'run_not_found')];
    const { model } = this.#root;
    const closed = [...this.#close(), this.#update({ usage: totals.usage, seq: this.#seq, ...defined({ model }) })];
    if (outcome.reason === 'error') return [...closed, failed(outcome.message, outcome.code)];
    const finishReason = toFinishReason(outcome);
    if (finishReason === 'timeout' || finishReason === 'interrupted')
      return [...closed, failed(`The run ended: ${finishReason}.`, `run_${finishReason}`)];
    const usage = totals.costs.map(({ model: used, usage: tokens }) => ({
      ...defined({ model: used }),
      inputTokens: tokens.promptTokens,
      outputTokens: tokens.completionTokens,
      totalTokens: tokens.totalTokens,
      cachedInputTokens: tokens.cacheReadInputTokens,
    }));
    const ending = { result: { finishReason }, usage };
    if (finishReason !== 'aborted') return [...closed, this.#finished({ ...ending, outcome: { type: 'success' } })];
    // Clients before 1.0 reject cancelled runs.
    if (this.#options.version === '0.0') return [...closed, custom('singletree.aborted', {}), this.#finished(ending)];
    return [...closed, this.#finished({ ...ending, outcome: { type: 'cancelled' } })];
  }
}

function custom(title: string, value: unknown): AgUiEvent {
  return { type: 'CUSTOM', name: title, value };
}

function failed(message: string, code: string): AgUiEvent {
  return { type: 'RUN_ERROR', message, code };
}

/** Marks text or reasoning that another attempt replaced, because it cannot be removed from the client. */
function markReplaced(messageId: string): AgUiEvent[] {
  return [
    { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
    { type: 'TEXT_MESSAGE_END', messageId, metadata: { singletree: { replaced: true } } },
  ];
}

function spokenText(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
