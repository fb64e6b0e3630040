import { type EventOf, isToolParseError, newId, type ToolOutput } from '../../events/index.ts';
import type { CallState, RelayState } from '../../projections/run-state.ts';
import type { Answers, RelayAnswer } from '../agent.ts';
import { decide, type Grant, grantFor, type PermissionRules, type ToolRequest } from '../permissions/index.ts';
import type { EventChannel } from './event-channel.ts';
import { Slots } from './slots.ts';
import { checkInput, type Tool, type ToolReturn } from './tool.ts';

export interface CallRunnerOptions {
  readonly runId: string;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly rules: PermissionRules;
  readonly answers: Answers | undefined;
  readonly signal: AbortSignal;
  /** How many tools execute at once. */
  readonly parallel: number;
  readonly timeoutMs: number;
}

const outcomeUnknown =
  'The outcome of this call is unknown: the process ended while it ran. It was not run again; check what it did before repeating it.';

/** Takes tool calls through permission, execution and result. What people granted holds for the later calls of the run. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #slots: Slots;
  readonly #grants: Grant[] = [];

  constructor(options: CallRunnerOptions) {
    this.#options = options;
    this.#slots = new Slots(options.parallel);
  }

  /** Takes over what was granted before, from the answers in the log. */
  remember(relays: Iterable<RelayState>): void {
    for (const { relay, answer } of relays)
      if (relay.relayKind === 'permission' && answer !== undefined) this.#grant(relay.tool, relay.params, answer);
  }

  /** Runs the calls that are not done yet, side by side, each to its `tool_result`. */
  async run(calls: Iterable<CallState>, relays: ReadonlyMap<string, RelayState>, channel: EventChannel): Promise<void> {
    await Promise.all(
      [...calls]
        .filter(call => !call.done)
        .map(async state => {
          const output = state.started ? { error: outcomeUnknown } : await this.#outcome(state, relays, channel);
          const { id, name } = state.call;
          if (output !== undefined)
            await channel.put({ type: 'tool_result', runId: this.#options.runId, id, name, output });
        }),
    );
  }

  /** Undefined when the run was stopped meanwhile. */
  async #outcome(
    state: CallState,
    relays: ReadonlyMap<string, RelayState>,
    channel: EventChannel,
  ): Promise<ToolOutput | undefined> {
    const { call } = state;
    const tool = this.#options.tools.get(call.name);
    if (isToolParseError(call.input))
      return {
        error: `The arguments are not valid JSON: ${call.input.parseError}. Send the call again with valid JSON.`,
      };
    if (tool === undefined)
      return {
        error: `There is no tool "${call.name}". Available: ${[...this.#options.tools.keys()].join(', ') || 'none'}.`,
      };
    const checked = await checkInput(tool, call.input);
    if ('problem' in checked) return { error: checked.problem };
    try {
      const allowed = await this.#permit(tool, call, state.relayId, relays, channel);
      if ('status' in allowed) return allowed;
      const revised = 'input' in allowed ? await checkInput(tool, allowed.input) : checked;
      if ('problem' in revised) return { error: `The revised input was refused. ${revised.problem}` };
      return await this.#slots.use(() => this.#execute(tool, call, revised.value, channel));
    } catch (error) {
      if (this.#options.signal.aborted) return undefined;
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  async #permit(
    tool: Tool,
    call: EventOf<'tool_call'>,
    askedBefore: string | undefined,
    relays: ReadonlyMap<string, RelayState>,
    channel: EventChannel,
  ): Promise<{ status: 'denied'; reason: string } | { input: unknown } | { allowed: true }> {
    const { rules, answers, signal, runId } = this.#options;
    const decision = decide({ rules, grants: this.#grants }, requestFor(tool, call.input));
    if (decision.policy === 'deny') return { status: 'denied', reason: decision.reason ?? 'It is not allowed.' };
    if (decision.policy === 'allow') return { allowed: true };
    if (answers === undefined)
      return { status: 'denied', reason: `${decision.reason ?? 'It needs approval'}, and nobody can be asked.` };
    const id = askedBefore ?? newId();
    if (askedBefore === undefined)
      await channel.put({
        type: 'relay',
        runId,
        id,
        relayKind: 'permission',
        toolCallId: call.id,
        tool: tool.name,
        params: asRecord(call.input),
      });
    const answer = relays.get(id)?.answer ?? (await answers.wait(id, signal));
    if (answer.outcome === 'revise') return { input: answer.input };
    if (answer.outcome !== 'approve') return { status: 'denied', reason: refusal(answer) };
    this.#grant(tool.name, call.input, answer);
    return { allowed: true };
  }

  async #execute(tool: Tool, call: EventOf<'tool_call'>, input: unknown, channel: EventChannel): Promise<ToolOutput> {
    const { runId, signal, timeoutMs } = this.#options;
    const { id, name } = call;
    signal.throwIfAborted();
    await channel.put({ type: 'tool_start', runId, id, name });
    signal.throwIfAborted();
    const limit = tool.timeoutMs ?? timeoutMs;
    const timeout = AbortSignal.timeout(limit);
    const either = AbortSignal.any([signal, timeout]);
    const progress = (content: unknown) =>
      channel.report({
        type: 'tool_progress',
        runId,
        id: `${id}:progress`,
        toolCallId: id,
        name,
        content: content ?? null,
      });
    try {
      const running = Promise.resolve(tool.execute(input, { runId, toolCallId: id, signal: either, progress }));
      return toOutput(await untilAborted(running, either));
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      return { error: `${name} was stopped: it took longer than ${limit} ms.` };
    }
  }

  #grant(toolName: string, input: unknown, answer: Pick<RelayAnswer, 'outcome' | 'remember'>): void {
    const tool = this.#options.tools.get(toolName);
    if (tool === undefined || answer.outcome !== 'approve') return;
    const granted = grantFor(requestFor(tool, input), answer.remember ?? 'once');
    if (granted !== undefined) this.#grants.push(granted);
  }
}

function requestFor({ name, category, shell }: Tool, input: unknown): ToolRequest {
  return { tool: name, input, ...(category !== undefined && { category }), ...(shell !== undefined && { shell }) };
}

function refusal({ outcome, feedback, by }: Pick<RelayAnswer, 'outcome' | 'feedback' | 'by'>): string {
  if (outcome === 'expired') return 'Nobody answered in time.';
  if (outcome === 'cancelled') return 'The run was stopped before anybody answered.';
  const who = by ?? 'A person';
  return feedback ? `${who} rejected it: ${feedback}` : `${who} rejected it.`;
}

function toOutput(value: ToolReturn): ToolOutput {
  if (typeof value === 'object' && value !== null && 'context' in value)
    return { ...value, context: value.context ?? null };
  return { context: value ?? null, result: value ?? null };
}

function asRecord(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : { input };
}

/** The promise's value, unless the signal aborts first. */
function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
