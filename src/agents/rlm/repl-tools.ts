import { defined } from '../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { type ToolOutput, toToolOutput } from '../../events/tools.ts';
import type { CallRunner } from '../loop/call-runner.ts';
import type { Tool } from '../contract/agent.ts';
import { commandArgument } from '../permissions/tool-request.ts';

const reserved: ReadonlySet<string> = new Set(['llm_query', 'FINAL', 'SHOW_VARS', 'print', 'console', 'context']);

/** Returns the tools by the function names that code uses; throws `invalid_argument` when two names collide. */
export function toFunctions(tools: readonly Tool[]): Map<string, Tool> {
  const functions = new Map<string, Tool>();
  for (const tool of tools) {
    const name = tool.name.replace(/[^\w$]|^(?=\d)/g, '_');
    if (reserved.has(name) || (functions.has(name) && functions.get(name)?.name !== tool.name))
      throw new SingletreeError(
        'invalid_argument',
        `The tool "${tool.name}" cannot be the function ${name}: it exists.`,
      );
    functions.set(name, tool);
  }
  return functions;
}

interface ReplToolsOptions {
  readonly runId: string;
  readonly functions: ReadonlyMap<string, Tool>;
  readonly runner: CallRunner;
  readonly put: (event: AgentEvent) => Promise<void>;
}

/** Handles permission, execution and results of calls from code, like calls of a model. */
export class ReplTools {
  readonly #options: ReplToolsOptions;
  readonly #outputs = new Map<string, ToolOutput>();
  readonly #counts = new Map<string, number>();

  constructor(options: ReplToolsOptions) {
    this.#options = options;
  }

  /** Returns the tool's output for a model; rejects when it failed or was denied. */
  async call(name: string, args: readonly unknown[], cellId: string): Promise<unknown> {
    const { runId, functions, runner, put } = this.#options;
    const tool = functions.get(name);
    if (tool === undefined) throw new Error(`Unknown function ${name}.`);
    const number = (this.#counts.get(cellId) ?? 0) + 1;
    this.#counts.set(cellId, number);
    const id = `${cellId}_call_${number}`;
    const call: EventOf<'tool_call'> = { type: 'tool_call', runId, id, name: tool.name, input: toInput(tool, args) };
    await put(call);
    const calls = new Map([[id, { call, started: false, done: false }]]);
    await runner.run({ calls, relays: new Map(), children: new Map() });
    const output = this.#outputs.get(id);
    this.#outputs.delete(id);
    if (output === undefined) throw new Error('The run was stopped.');
    if ('status' in output) throw new Error(`${tool.name} was denied: ${output.reason}`);
    if ('error' in output) throw new Error(output.error);
    return output.context;
  }

  /** Receives the result of a call from the stream. */
  take({ id, output }: EventOf<'tool_result'>): void {
    this.#outputs.set(id, toToolOutput(output));
  }
}

/** A function accepts the tool's input; a shell also accepts the command itself. */
function toInput(tool: Tool, [input]: readonly unknown[]): unknown {
  const command = commandArgument({ tool: tool.name, input, ...defined({ shell: tool.shell }) });
  return typeof input === 'string' && command !== undefined ? { [command]: input } : (input ?? {});
}
