import { dropOldest } from '../../../../drop-oldest.ts';
import type { ChannelHost } from '../../../contract/live-channel.ts';
import { ChannelEvents } from '../../../shared/channel-events.ts';
import { errorText } from '../../../shared/readable-error.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import type { ItemPhase } from '../items.ts';
import { type AgentThread, AgentThreads } from './agent-threads.ts';
import { execItem } from './exec-item.ts';
import type { RpcMessage } from '../../../channels/json-rpc.ts';
import type { ThreadUsage } from './thread-usage.ts';

/** How long a call may wait for a request about it before it counts as started without one. */
const unaskedMs = 250;

export interface TurnOptions {
  readonly host: ChannelHost;
  readonly runId: string;
  readonly threadId: string;
  /** Distinguishes the runs of subagents from those in earlier turns of the same run. */
  readonly suffix: string;
  readonly usage: ThreadUsage;
  /** Turns of the program that are over. */
  readonly over: Set<string>;
  /** Called when a user message has reached the model. */
  readonly heard: (message: { id: string | undefined; text: string }) => void;
}

/** How the program ended a turn. */
export type TurnStatus = 'completed' | 'interrupted' | 'failed';

/** Translates the notifications of one turn of ours, which may be several turns of the program. */
export class CodexTurn {
  readonly events: ChannelEvents;
  readonly threads: AgentThreads;
  readonly #options: TurnOptions;
  /** Calls that wait for a request about them, by event id. */
  readonly #unasked = new Map<string, () => void>();
  /** Calls that the user was asked about, by event id. */
  readonly #asked = new Set<string>();
  /** Whether the program no longer asks: calls that it then runs are marked. */
  isUnasked = false;
  /** The plan that the program proposed. */
  plan: string | undefined;
  /** How the turn of the main thread ended; subagents may still run. */
  status: TurnStatus | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
    this.events = new ChannelEvents(options.host, options.runId);
    this.threads = new AgentThreads(this.events.context, {
      mainId: options.threadId,
      suffix: options.suffix,
      whenCalled: (thread, rawId) => this.#expectRequest(thread, rawId),
    });
  }

  /** Whether the program has finished its work. */
  get isSettled(): boolean {
    return this.status !== undefined && !this.threads.isBusy;
  }

  /** Begins another turn of the program within this one. */
  again(): void {
    this.plan = undefined;
    this.status = undefined;
    this.threads.main.turnId = undefined;
  }

  /** Registers the id of the main turn, from the answer of the program. */
  started(turnId: string | undefined): void {
    if (turnId !== undefined && this.status === undefined && !this.#options.over.has(turnId))
      this.threads.main.turnId ??= turnId;
  }

  /** Handles one notification; returns false when it is not understood. */
  take({ method, params, record }: RpcMessage): boolean {
    const handle = Object.hasOwn(this.#on, method) ? this.#on[method] : undefined;
    return handle?.(params, this.threads.find(toText(params['threadId'])), record) ?? false;
  }

  /** A request about a call has arrived: it starts when it is allowed. */
  asked(thread: AgentThread, rawId: unknown): void {
    const call = typeof rawId === 'string' ? thread.items.find(rawId) : undefined;
    if (call !== undefined) this.#asked.add(call.id);
    this.#stopTimer(call?.id);
  }

  /** Emits the final events. */
  end(): void {
    for (const cancel of this.#unasked.values()) cancel();
    this.#unasked.clear();
    this.threads.flush();
    this.#context.close();
  }

  get #context() {
    return this.events.context;
  }

  readonly #on: Readonly<
    Record<string, (params: WireRecord, thread: AgentThread | undefined, record: WireRecord) => boolean>
  > = {
    'turn/started': params => this.#turnStarted(params),
    'turn/completed': (params, thread) => this.#turnCompleted(params, thread),
    'item/started': (params, thread, record) => this.#item('started', { params, thread, record }),
    'item/completed': (params, thread, record) => this.#item('completed', { params, thread, record }),
    'item/agentMessage/delta': (params, thread) => {
      const id = toText(params['itemId']);
      const delta = params['delta'];
      if (thread === undefined || id === undefined || typeof delta !== 'string') return false;
      if (delta !== '') thread.items.stream('text', id, delta);
      return true;
    },
    'item/reasoning/summaryTextDelta': (params, thread) => {
      const id = toText(params['itemId']);
      const delta = params['delta'];
      if (thread === undefined || id === undefined || typeof delta !== 'string') return false;
      const isNewPart = thread.reasoning.has(id) && thread.reasoning.get(id) !== params['summaryIndex'];
      thread.reasoning.set(id, params['summaryIndex']);
      if (delta !== '') thread.items.stream('reasoning', id, isNewPart ? `\n\n${delta}` : delta);
      return true;
    },
    'item/commandExecution/outputDelta': (params, thread) => {
      const id = toText(params['itemId']);
      if (thread === undefined || id === undefined) return false;
      this.#start(thread, id);
      return true;
    },
    'thread/tokenUsage/updated': (params, thread) => {
      const id = toText(params['threadId']);
      if (id === undefined) return false;
      const isOfTurn = thread?.turnId !== undefined && thread.turnId === params['turnId'];
      return this.#options.usage.report(id, params['tokenUsage'], isOfTurn);
    },
    'turn/plan/updated': (params, thread) => {
      if (thread === undefined || !Array.isArray(params['plan'])) return false;
      const tasks = toList(params['plan']).map((value, index) => toTask(toRecord(value), index));
      this.#context.emit({ type: 'tasks', runId: thread.items.runId, tasks });
      return true;
    },
    error: (params, thread) => {
      const message = errorText(params['error']);
      if (message === '') return false;
      if (params['willRetry'] === true) this.#warn(thread, message, 'retry');
      else if (thread === undefined || thread === this.threads.main) this.#context.fail({ message });
      else this.threads.fail(thread.id, message);
      return true;
    },
    warning: (params, thread) => this.#warn(thread, toText(params['message'])),
    guardianWarning: (params, thread) => this.#warn(thread, toText(params['message'])),
    configWarning: (params, thread) => this.#warn(thread, toText(params['summary']), 'config'),
    'mcpServer/startupStatus/updated': (params, thread) => {
      const isFailed = params['status'] === 'failed' || params['status'] === 'cancelled';
      if (isFailed)
        this.#warn(
          thread,
          `MCP server ${String(params['name'])}: ${errorText(params['error']) || 'not started'}`,
          'mcp',
        );
      return true;
    },
  };

  #turnStarted(params: WireRecord): boolean {
    const turnId = toText(toRecord(params['turn'])?.['id']);
    const thread = this.threads.begin(toText(params['threadId']));
    if (thread === undefined || turnId === undefined || this.#options.over.has(turnId)) return false;
    if (thread === this.threads.main && (this.status !== undefined || (thread.turnId ?? turnId) !== turnId))
      return false;
    thread.turnId = turnId;
    if (thread === this.threads.main) this.#context.session(thread.id);
    this.#context.step({ runId: thread.items.runId });
    return true;
  }

  #turnCompleted(params: WireRecord, thread: AgentThread | undefined): boolean {
    const turn = toRecord(params['turn']);
    const status = readStatus(turn?.['status']);
    if (thread === undefined || status === undefined || thread.turnId === undefined || turn?.['id'] !== thread.turnId)
      return false;
    this.#options.over.add(thread.turnId);
    dropOldest(this.#options.over);
    thread.turnId = undefined;
    thread.items.endStreams();
    const { runId } = thread.items;
    const used = this.#options.usage.take(thread.id);
    if (used !== undefined) this.#context.emit({ type: 'usage', runId, ...used });
    const error = errorText(turn?.['error']);
    if (thread !== this.threads.main) this.threads.end(thread.id, childReason[status], error || undefined);
    else {
      this.status = status;
      if (status === 'failed') this.#context.fail({ message: error || 'The turn failed.' });
    }
    return true;
  }

  #item(phase: ItemPhase, of: { params: WireRecord; thread: AgentThread | undefined; record: WireRecord }): boolean {
    const { params, thread, record } = of;
    const item = toRecord(params['item']);
    if (item?.['type'] === 'subAgentActivity') {
      this.threads.activity(thread, phase, { item, record });
      return true;
    }
    if (thread === undefined || item === undefined) return false;
    if (phase === 'completed' && this.isUnasked) this.#markUnasked(thread, toText(item['id']) ?? '');
    const type = toText(item['type']) ?? '';
    if (Object.hasOwn(this.#onItem, type)) (this.#onItem[type] as ItemHandler)(phase, { thread, item, record });
    else thread.items.take(phase, execItem(item), record);
    return true;
  }

  readonly #onItem: Readonly<Record<string, ItemHandler>> = {
    userMessage: (phase, { thread, item }) => {
      if (phase !== 'started') return;
      thread.items.endStreams();
      const text = toList(item['content']).map(part => toText(toRecord(part)?.['text']) ?? '');
      this.#options.heard({ id: toText(item['clientId']), text: text.join('\n') });
    },
    contextCompaction: () => {},
    plan: (phase, { thread, item, record }) => {
      if (phase !== 'completed') return;
      const text = toText(item['text']);
      if (text === undefined) this.#context.unknown(record);
      else {
        if (thread === this.threads.main) this.plan = text;
        thread.items.take('completed', { ...item, type: 'agent_message' }, record);
      }
    },
  };

  #markUnasked(thread: AgentThread, rawId: string): void {
    const call = thread.items.find(rawId);
    if (call === undefined || this.#asked.has(call.id)) return;
    this.#warn(thread, `Codex ran ${call.name} without asking.`, 'unasked');
  }

  #expectRequest(thread: AgentThread, rawId: string): void {
    const id = thread.items.find(rawId)?.id;
    if (id === undefined) return;
    const start = () => this.events.within(undefined, () => this.#start(thread, rawId));
    this.#unasked.set(id, this.#options.host.after(unaskedMs, start));
  }

  #start(thread: AgentThread, rawId: string): void {
    this.#stopTimer(thread.items.find(rawId)?.id);
    thread.items.start(rawId);
  }

  #stopTimer(callId: string | undefined): void {
    if (callId === undefined) return;
    this.#unasked.get(callId)?.();
    this.#unasked.delete(callId);
  }

  #warn(thread: AgentThread | undefined, message: string | undefined, code = 'codex'): boolean {
    if (message === undefined) return false;
    this.#context.emit({ type: 'warning', runId: thread?.items.runId ?? this.#context.runId, message, code });
    return true;
  }
}

type ItemHandler = (phase: ItemPhase, of: { thread: AgentThread; item: WireRecord; record: WireRecord }) => void;

const childReason = { completed: 'complete', interrupted: 'aborted', failed: 'error' } as const;

function readStatus(value: unknown): TurnStatus | undefined {
  return value === 'completed' || value === 'interrupted' || value === 'failed' ? value : undefined;
}

const taskStatus: ReadonlyMap<unknown, 'in_progress' | 'completed'> = new Map([
  ['inProgress', 'in_progress'],
  ['completed', 'completed'],
]);

function toTask(step: WireRecord | undefined, index: number) {
  const status = taskStatus.get(step?.['status']) ?? ('pending' as const);
  return { id: `${index + 1}`, content: toText(step?.['step']) ?? '', status };
}
