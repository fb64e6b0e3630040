import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { presentEnd } from '../../projections/presentation/wording.ts';
import type { Encoder } from '../encoder.ts';
import {
  type Fact,
  type FactHandlers,
  type FactOf,
  type FinishReason,
  toFinishReason,
  handleFact,
} from '../request/fact.ts';
import type { OpenCall, OpenRelay, OpenRun } from '../request/open.ts';
import { RequestFold } from '../request/request-fold.ts';
import type { AcpCall, AcpEnd, AcpStep, AcpStopReason, AcpUpdate } from './acp-update.ts';
import { toUserChunks } from './message-content.ts';
import {
  type CallPlace,
  describePermission,
  type ShownCall,
  toTextContent,
  toAcpCall,
  toAcpResult,
  toRelayCall,
} from './tool-call.ts';

export interface AcpOptions {
  /** The folder that relative paths of calls are in. */
  readonly cwd?: string | undefined;
  /** Returns the context window of a model, in tokens; without it no usage is shown. */
  readonly contextWindow?: ((model: string) => number | undefined) | undefined;
  /** Whether the client shows notices. */
  readonly hasNotices?: boolean | undefined;
}

/**
 * Encodes all requests and user messages of a thread for `session/update` of the Agent Client Protocol. The `tool_call`
 * of an id precedes its updates and its requests. Text of subagents is omitted; their calls carry their name.
 */
export function acpEncoder(options: AcpOptions = {}): Encoder<AcpStep> {
  const stream = new SessionStream(options);
  return { encode: event => stream.take(event), end: () => stream.end() };
}

class SessionStream {
  readonly #options: AcpOptions;
  /** The open requests by their root run. */
  readonly #requests = new Map<string, RequestFold>();
  /** The calls that have no result, by the id that events name them with. */
  readonly #calls = new Map<string, AcpCall>();
  readonly #runs = new Set<string>();
  #event: AgentEvent | undefined;
  #runId = '';
  #seq = 0;
  #cost: number | undefined;

  constructor(options: AcpOptions) {
    this.#options = options;
  }

  take(event: AgentEvent): AcpStep[] {
    if (event.seq !== undefined && event.seq <= this.#seq) return [];
    this.#seq = event.seq ?? this.#seq;
    this.#event = event;
    if (event.type === 'harness_start') this.#runs.add(event.runId);
    if (event.type === 'harness_end') this.#runs.delete(event.runId);
    let isPart = false;
    const steps: AcpStep[] = [];
    for (const [runId, fold] of this.#requests) {
      const facts = fold.take(event);
      isPart ||= facts.length > 0;
      this.#add(steps, runId, facts);
    }
    if (isPart) return steps;
    if (event.type === 'harness_start' && event.memory === undefined) return this.#begin(event);
    if (event.type === 'user' && event.automatic !== true && !this.#runs.has(event.runId))
      return toSteps(toUserChunks(event.id ?? `${event.runId}:user`, event.content));
    if (event.type === 'tool_start') return this.#started(event);
    return event.type === 'usage' ? this.#use(event) : [];
  }

  end(): AcpStep[] {
    const steps: AcpStep[] = [];
    for (const [runId, fold] of this.#requests) this.#add(steps, runId, fold.end());
    return steps;
  }

  #begin(event: EventOf<'harness_start'>): AcpStep[] {
    const { runId } = event;
    const fold = new RequestFold({ runId });
    this.#requests.set(runId, fold);
    const steps: AcpStep[] = [];
    this.#add(steps, runId, fold.take(event));
    return steps;
  }

  #add(steps: AcpStep[], runId: string, facts: readonly Fact[]): void {
    this.#runId = runId;
    for (const fact of facts) steps.push(...handleFact(this.#on, fact));
  }

  readonly #on: FactHandlers<readonly AcpStep[]> = {
    started: nothing,
    step: nothing,
    text: ({ id, text }) => toChunk('agent_message_chunk', id, text),
    reasoning: ({ id, text }) => toChunk('agent_thought_chunk', id, text),
    input: nothing,
    call: ({ call }) => {
      const shown = toAcpCall(toShownCall(call), this.#findPlace(call.run));
      this.#calls.set(call.id, shown);
      return [toStep({ sessionUpdate: 'tool_call', ...shown })];
    },
    progress: ({ call, progress: { label } }) => [
      toStep({
        sessionUpdate: 'tool_call_update',
        toolCallId: call.key,
        status: 'in_progress',
        content: [toTextContent(label)],
      }),
    ],
    asked: ({ relay }) => this.#ask(relay),
    decided: ({ relay, decision }) => this.#decide(relay, decision.outcome !== 'reject'),
    result: ({ call, output }) => {
      const shown = this.#calls.get(call.id) as AcpCall;
      this.#calls.delete(call.id);
      const part = {
        ...toShownCall(call),
        output,
        status: 'context' in output ? ('done' as const) : ('failed' as const),
      };
      const { toolCallId } = shown;
      const changed = toAcpResult(shown, part, this.#findPlace(call.run));
      return [toStep({ sessionUpdate: 'tool_call_update', toolCallId, ...changed })];
    },
    'agent-started': nothing,
    'agent-ended': nothing,
    plan: nothing,
    file: ({ file }) => this.#notice('info', `File ready: ${file.path}`),
    custom: nothing,
    tasks: ({ tasks }) => [toStep(toPlanUpdate(tasks))],
    warning: ({ warning }) => this.#notice('warning', warning.message),
    user_message: ({ id, content }) => toSteps(toUserChunks(id, content)),
    ended: ({ outcome }) => {
      const runId = this.#runId;
      this.#requests.delete(runId);
      return [{ type: 'ended', runId, end: toEnd(outcome) }];
    },
  };

  #findPlace(run: OpenRun): CallPlace {
    return { cwd: this.#options.cwd, subagent: run.parent === undefined ? undefined : run.agentName };
  }

  /** Shows a relay without a call as a separate call. */
  #ask({ call, run }: OpenRelay): AcpStep[] {
    const relay = this.#event as EventOf<'relay'>;
    if (call === undefined) {
      const toolCall = toRelayCall(relay, 'pending', this.#findPlace(run));
      return [toStep({ sessionUpdate: 'tool_call', ...toolCall }), { type: 'ask', relay, toolCall }];
    }
    const toolCall = this.#calls.get(call.id) as AcpCall;
    const content = toolCall.content ?? describePermission(relay, this.#options.cwd);
    return [{ type: 'ask', relay, toolCall: { ...toolCall, ...(content.length > 0 && { content }) } }];
  }

  #decide({ id, call }: OpenRelay, isApproved: boolean): AcpStep[] {
    const settled: AcpStep = { type: 'settled', relayId: id };
    if (call !== undefined) return [settled];
    const status = isApproved ? 'completed' : 'failed';
    return [settled, toStep({ sessionUpdate: 'tool_call_update', toolCallId: id, status })];
  }

  #started({ id }: EventOf<'tool_start'>): AcpStep[] {
    const toolCallId = this.#calls.get(id)?.toolCallId;
    if (toolCallId === undefined) return [];
    return [toStep({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' })];
  }

  /** A usage report without a model call is a total of a run, so it does not show the size of the context. */
  #use({ cost, callId, model, inputTokens, outputTokens }: EventOf<'usage'>): AcpStep[] {
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
    const size = callId === undefined || model === undefined ? undefined : this.#options.contextWindow?.(model);
    if (size === undefined) return [];
    const used = inputTokens + outputTokens;
    const amount = this.#cost;
    const paid = amount !== undefined && { cost: { amount, currency: 'USD' } };
    return [toStep({ sessionUpdate: 'usage_update', used, size, ...paid })];
  }

  #notice(severity: 'info' | 'warning', title: string): AcpStep[] {
    if (this.#options.hasNotices !== true || title === '') return [];
    return [toStep({ sessionUpdate: 'notice', severity, title })];
  }
}

/** Returns the task list of a thread as a plan, which replaces the previous plan. */
export function toPlanUpdate(tasks: EventOf<'tasks'>['tasks']): AcpUpdate {
  const entries = tasks.map(({ content, status }) => ({ content, status, priority: 'medium' as const }));
  return { sessionUpdate: 'plan', entries };
}

function toShownCall({ key: id, toolName: name, input }: OpenCall): ShownCall {
  return { id, name, input, status: 'waiting' };
}

function nothing(): readonly AcpStep[] {
  return [];
}

function toStep(value: AcpUpdate): AcpStep {
  return { type: 'update', update: value };
}

function toSteps(updates: readonly AcpUpdate[]): AcpStep[] {
  return updates.map(toStep);
}

function toChunk(
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
  messageId: string,
  text: string,
): AcpStep[] {
  return [toStep({ sessionUpdate, messageId, content: { type: 'text', text } })];
}

const stopReasons: Record<Exclude<FinishReason, 'timeout' | 'interrupted'>, AcpStopReason> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'content-filter': 'refusal',
  'tool-calls': 'max_turn_requests',
  aborted: 'cancelled',
};

function toEnd(outcome: FactOf<'ended'>['outcome']): AcpEnd {
  if (outcome.reason === 'error') return { error: { message: outcome.message, code: outcome.code } };
  const reason = toFinishReason(outcome);
  if (reason !== 'timeout' && reason !== 'interrupted') return { stopReason: stopReasons[reason] };
  return { error: { message: presentEnd(reason) ?? reason, code: reason } };
}
