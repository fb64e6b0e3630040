import { checkInput } from '../../src/agents/loop/tool.ts';
import type { Tool, ToolCall } from '../../src/agents/contract/agent.ts';

/** What a built-in tool gives back. */
export interface ToolAnswer {
  readonly context: string;
  readonly result: Record<string, unknown>;
}

export interface CallOptions {
  readonly runId?: string;
  readonly signal?: AbortSignal;
  readonly progress?: (content: unknown) => void;
}

/** Calls a tool by its name as the loop does, without a model. */
export async function callTool(
  tools: readonly Tool[],
  [name, input]: readonly [name: string, input: unknown],
  { runId = 'run', signal = new AbortController().signal, progress = () => {} }: CallOptions = {},
): Promise<ToolAnswer> {
  const tool = tools.find(tool => tool.name === name);
  if (tool === undefined) throw new Error(`There is no tool "${name}".`);
  const checked = await checkInput(tool, input);
  if ('problem' in checked) throw new Error(checked.problem);
  const waitUntil = () => {};
  const context = {
    runId,
    toolCallId: `${runId}/call`,
    signal,
    progress,
    waitUntil,
  } as Partial<ToolCall> as ToolCall;
  return (await tool.execute(checked.value, context)) as ToolAnswer;
}
