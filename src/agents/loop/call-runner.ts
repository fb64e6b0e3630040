import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { isToolParseError, type ToolOutput } from '../../events/tools.ts';
import type { CallState, RelayState, RunState } from '../../projections/run-state.ts';
import { Approvals, type ApprovalsOptions, resolvedRequest, toolRequest } from './approvals.ts';
import { CallContext, type CallScope, toolOutput } from './call-context.ts';
import type { ToolRequest, PathAccess } from '../contract/permissions.ts';
import { Semaphore } from '../semaphore.ts';
import { isAccessRelay } from './access-requests.ts';
import { TimeLimit } from '../run/time-limit.ts';
import { checkInput } from '../tool-definition/define-tool.ts';
import type { Tool } from '../contract/agent.ts';

export interface CallRunnerOptions extends Omit<ApprovalsOptions, 'requestOf'> {
  readonly runId: string;
  readonly tools: ReadonlyMap<string, Tool>;
  /** The number of tools that execute concurrently. */
  readonly parallel: number;
  readonly timeoutMs: number;
  readonly scope: CallScope;
}

const outcomeUnknown =
  'The outcome of this call is unknown: the process ended while it ran. It was not run again; check what it did before repeating it.';

/** Handles permission, execution and results of tool calls. A grant applies to the later calls of the run. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #approvals: Approvals;
  readonly #semaphore: Semaphore;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
    this.#approvals = new Approvals({
      ...options,
      requestOf: (relay, input) => {
        const tool = options.tools.get(relay.tool);
        return tool && toolRequest(tool, input);
      },
    });
    this.#semaphore = new Semaphore(options.parallel);
  }

  /** Restores earlier grants from the answers in the log. */
  remember(relays: Iterable<RelayState>): void {
    this.#approvals.remember(relays);
  }

  /** Runs all pending calls concurrently, each to its `tool_result`; never rejects. */
  async run({ calls, relays, children }: Pick<RunState, 'calls' | 'relays' | 'children'>): Promise<void> {
    const { runId, scope } = this.#options;
    await Promise.all(
      [...calls.values()]
        .filter(call => !call.done)
        .map(async state => {
          const output = await this.#outcome(state, relays, children.get(state.call.id) ?? []);
          const { id, name } = state.call;
          if (output !== undefined) await scope.channel.put({ type: 'tool_result', runId, id, name, output });
        }),
    );
  }

  /** Returns undefined when the run was stopped during the call. */
  async #outcome(
    state: CallState,
    relays: ReadonlyMap<string, RelayState>,
    children: readonly RunState[],
  ): Promise<ToolOutput | undefined> {
    const { call } = state;
    const { signal, tools } = this.#options;
    if (isToolParseError(call.input))
      return {
        error: `The arguments are not valid JSON: ${call.input.parseError}. Send the call again with valid JSON.`,
      };
    const tool = tools.get(call.name);
    const asked = [...relays.values()].filter(({ relay }) => isQuestionAbout(relay, call.id));
    if (state.started && !isRepeatable(tool, asked)) return { error: outcomeUnknown };
    if (tool === undefined)
      return { error: `There is no tool "${call.name}". Available: ${[...tools.keys()].join(', ') || 'none'}.` };
    try {
      const checked = await checkInput(tool, call.input);
      if ('problem' in checked) return { error: checked.problem };
      signal.throwIfAborted();
      const permit = await this.#approvals.permit(
        {
          state,
          requestFor: input => resolvedRequest(tool, input),
          needsApproval: () => {
            const { needsApproval = false } = tool;
            return typeof needsApproval === 'function' ? needsApproval(checked.value) : needsApproval;
          },
          preview: tool.preview && (async () => tool.preview?.(checked.value, this.#options) ?? {}),
        },
        relays,
      );
      if ('denied' in permit) {
        const { denied: reason, by } = permit;
        return { status: 'denied', reason, ...defined({ by }) };
      }
      const agreed = permit.input === call.input ? checked : await checkInput(tool, permit.input);
      if ('problem' in agreed) return { error: `The revised input was refused. ${agreed.problem}` };
      const { request, access } = permit;
      return await this.#semaphore.run(signal, () =>
        this.#execute(tool, { state, input: agreed.value, request, access, asked, children }),
      );
    } catch (error) {
      if (signal.aborted) return undefined;
      return { error: errorText(error) };
    }
  }

  async #execute(tool: Tool, { state, input, request, access, asked, children }: Execution): Promise<ToolOutput> {
    const { runId, signal, timeoutMs, scope } = this.#options;
    const { name } = tool;
    const { id } = state.call;
    signal.throwIfAborted();
    if (!state.started) await scope.channel.put({ type: 'tool_start', runId, id, name });
    signal.throwIfAborted();
    const ms = tool.timeoutMs ?? timeoutMs;
    const limit = new TimeLimit(ms, signal);
    const context = new CallContext(scope, {
      runId,
      id,
      name,
      limit,
      asked,
      children,
      paths: request?.paths,
      access,
      isGuarded: request && this.#approvals.guardFor(request),
    });
    try {
      const running = Promise.resolve(tool.execute(input, context));
      return toolOutput(await limit.apply(running));
    } catch (error) {
      if (!limit.over) throw error;
      return { error: `${name} was stopped: it took longer than ${ms} ms.` };
    } finally {
      const settled = context.settled();
      if (settled !== undefined) await settled;
      limit.clear();
      context.end();
    }
  }
}

interface Execution {
  readonly state: CallState;
  readonly input: unknown;
  /** The decided request; undefined when the call had already started. */
  readonly request: ToolRequest | undefined;
  readonly access: readonly PathAccess[] | undefined;
  readonly asked: readonly RelayState[];
  readonly children: readonly RunState[];
}

/** Whether a started call may be executed again. */
function isRepeatable(tool: Tool | undefined, asked: readonly RelayState[]): boolean {
  if (tool?.repeatable !== 'suspended') return tool?.repeatable === true;
  const last = asked.at(-1);
  return last?.relay.relayKind === 'suspension' && last.answer === undefined;
}

function isQuestionAbout(relay: EventOf<'relay'>, callId: string): boolean {
  return relay.relayKind !== 'permission' && relay.toolCallId === callId && !isAccessRelay(relay);
}
