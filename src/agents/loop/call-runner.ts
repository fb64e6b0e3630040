import { isToolParseError, type ToolOutput } from '../../events/index.ts';
import type { CallState, RelayState } from '../../projections/run-state.ts';
import { Approvals, type ApprovalsOptions } from './approvals.ts';
import type { EventChannel } from './event-channel.ts';
import { Slots } from './slots.ts';
import { TimeLimit } from './time-limit.ts';
import { checkInput, type Tool } from './tool.ts';
import { asJson, toolOutput } from './tool-output.ts';
import { untilAborted } from './until-aborted.ts';

export interface CallRunnerOptions extends ApprovalsOptions {
  /** How many tools execute at once. */
  readonly parallel: number;
  readonly timeoutMs: number;
}

const outcomeUnknown =
  'The outcome of this call is unknown: the process ended while it ran. It was not run again; check what it did before repeating it.';

/** Takes tool calls through permission, execution and result. What people granted holds for the later calls of the run. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #approvals: Approvals;
  readonly #slots: Slots;

  constructor(options: CallRunnerOptions) {
    this.#options = options;
    this.#approvals = new Approvals(options);
    this.#slots = new Slots(options.parallel);
  }

  /** Takes over what was granted before, from the answers in the log. */
  remember(relays: Iterable<RelayState>): void {
    this.#approvals.remember(relays);
  }

  /** Runs the calls that are not done yet, side by side, each to its `tool_result`; never rejects. */
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
    const { signal, tools } = this.#options;
    if (isToolParseError(call.input))
      return {
        error: `The arguments are not valid JSON: ${call.input.parseError}. Send the call again with valid JSON.`,
      };
    const tool = tools.get(call.name);
    if (tool === undefined)
      return { error: `There is no tool "${call.name}". Available: ${[...tools.keys()].join(', ') || 'none'}.` };
    try {
      const checked = await checkInput(tool, call.input);
      if ('problem' in checked) return { error: checked.problem };
      signal.throwIfAborted();
      const permit = await this.#approvals.permit(tool, state, relays, channel);
      if ('denied' in permit) return { status: 'denied', reason: permit.denied };
      const agreed = permit.input === call.input ? checked : await checkInput(tool, permit.input);
      if ('problem' in agreed) return { error: `The revised input was refused. ${agreed.problem}` };
      return await this.#slots.use(() => this.#execute(tool, call.id, agreed.value, channel));
    } catch (error) {
      if (signal.aborted) return undefined;
      return { error: error instanceof Error ? error.message || error.name : String(error) };
    }
  }

  async #execute(tool: Tool, id: string, input: unknown, channel: EventChannel): Promise<ToolOutput> {
    const { runId, signal, timeoutMs } = this.#options;
    const { name } = tool;
    signal.throwIfAborted();
    await channel.put({ type: 'tool_start', runId, id, name });
    signal.throwIfAborted();
    const ms = tool.timeoutMs ?? timeoutMs;
    const limit = new TimeLimit(ms, signal);
    const report = this.#reporter(id, name, channel);
    try {
      const context = { runId, toolCallId: id, signal: limit.signal, progress: report.progress };
      const running = Promise.resolve(tool.execute(input, context));
      return toolOutput(await untilAborted(running, limit.signal));
    } catch (error) {
      if (!limit.over) throw error;
      return { error: `${name} was stopped: it took longer than ${ms} ms.` };
    } finally {
      limit.clear();
      report.end();
    }
  }

  /** Shows what a tool reports until it has its result. */
  #reporter(toolCallId: string, name: string, channel: EventChannel) {
    const { runId } = this.#options;
    let count = 0;
    let open = true;
    const progress = (content: unknown) => {
      if (!open) return;
      const id = `${toolCallId}:progress-${++count}`;
      channel.report({ type: 'tool_progress', runId, id, toolCallId, name, content: asJson(content) });
    };
    return { progress, end: () => void (open = false) };
  }
}
