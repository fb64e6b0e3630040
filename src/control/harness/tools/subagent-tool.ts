import * as z from 'zod';
import { errorText } from '../../../base/error-text.ts';
import { defineTool } from '../../../agents/tool-definition/define-tool.ts';
import type { Tool, ToolCall } from '../../../agents/contract/agent.ts';
import type { ModelRegistry } from '../../../agents/contract/model.ts';
import type { RunResult } from '../../../agents/contract/run-result.ts';
import { drivenAgent } from '../turns/driven-agent.ts';
import { type HarnessSubagent } from '../harness-config.ts';
import { resolveDynamic } from '../dynamic.ts';
import { toolOutcome } from '../messages/tool-outcome.ts';
import type { ForkResult } from '../subagents/forks.ts';
import { stoppedAgent } from '../subagents/stopped-agent.ts';
import type { RequestContext } from './request-context.ts';
import type { BuiltinResult } from '../../../agents/tools/people/ask-user.ts';
import { loopTools } from './harness-tool.ts';

interface SubagentToolOptions {
  /** At least one. */
  readonly subagents: readonly HarnessSubagent[];
  readonly requestContext: RequestContext;
  /** The harness tools; a subagent receives those it may use. */
  readonly shared: readonly Tool[];
  /** The workspace tools; a subagent receives all unless it names those it may use. */
  readonly workspaceTools: readonly Tool[];
  /** The model of a type when the call names none; empty when none is chosen. */
  readonly modelOf: (subagent: HarnessSubagent) => string;
  readonly registry: () => ModelRegistry | Promise<ModelRegistry>;
  /** Runs a forked subagent; a text is the reason why none can run. */
  readonly fork: ((request: ForkCall) => Promise<ForkResult>) | string;
}

/** A call that starts a fork. */
export interface ForkCall {
  readonly subagent: HarnessSubagent;
  readonly task: string;
  readonly context: ToolCall;
}

/** The default limit of steps. */
const defaultSteps = 50;

/** The result of a `subagent` call inside a forked subagent. */
const unavailable = 'The tool is unavailable inside a forked subagent: do the task yourself.';

/** `subagent`: starts a subagent with a fresh context, or on a fork, and returns its answer. Calls run in parallel. */
export function subagentTool(options: SubagentToolOptions): Tool {
  const { subagents } = options;
  const types = subagents.map(({ id }) => id) as [string, ...string[]];
  return defineTool({
    name: 'subagent',
    description: describeSubagents(subagents),
    input: z.object({
      agentType: z.enum(types).describe('which kind of subagent'),
      task: z.string().min(1).describe('all it needs to know: it sees nothing else, unless it is forked'),
      modelId: z.string().optional().describe('another model than its own; no effect when it is forked'),
      forked: z.boolean().optional().describe('whether it continues a copy of this conversation'),
    }),
    timeoutMs: Number.POSITIVE_INFINITY,
    repeatable: true,
    execute: async ({ agentType, task, modelId, forked }, context) => {
      const subagent = subagents.find(({ id }) => id === agentType) as HarnessSubagent;
      if (forked ?? subagent.forked ?? false) return runFork({ subagent, task, context }, options);
      const model = modelId ?? options.modelOf(subagent);
      if (model === '') return failed(noModel(agentType));
      const calls: { name: string; isError: boolean }[] = [];
      const startedAt = Date.now();
      try {
        const { stopWhen } = subagent;
        const fresh = await freshAgent(subagent, model, options);
        const agent = drivenAgent(stopWhen === undefined ? fresh : stoppedAgent(fresh, stopWhen), {
          prepare: async () => ({}),
          onEvent: event => {
            if (event.type === 'tool_result')
              calls.push({ name: event.name, isError: toolOutcome(event.output).isError });
          },
        });
        const child = await context.run(agent, { task, model });
        return answeredBy(child, { modelId: model, durationMs: Date.now() - startedAt, toolCalls: calls });
      } catch (error) {
        context.signal.throwIfAborted();
        return failed(`The subagent "${agentType}" failed: ${errorText(error)}`);
      }
    },
  });
}

/** The `subagent` tool as a fork offers it to the model: the same definition, and a call that starts nothing. */
export function unavailableInFork(tool: Tool): Tool {
  return { ...tool, execute: () => answered(unavailable, false) };
}

async function runFork(call: ForkCall, { fork }: SubagentToolOptions) {
  const { subagent, context } = call;
  if (typeof fork === 'string') return failed(fork);
  const startedAt = Date.now();
  const running = fork(call);
  context.waitUntil(running);
  try {
    const child = await running;
    const { modelId, toolCalls } = child;
    return answeredBy(child, { modelId, durationMs: Date.now() - startedAt, toolCalls });
  } catch (error) {
    context.signal.throwIfAborted();
    return failed(`The subagent "${subagent.id}" failed: ${errorText(error)}`);
  }
}

function noModel(agentType: string): string {
  return `No model is chosen for the subagent "${agentType}". Set its \`defaultModelId\`, or choose one with \`setSubagentModelId\` or \`switchModel\`.`;
}

async function freshAgent(
  subagent: HarnessSubagent,
  model: string,
  { requestContext, shared, workspaceTools, registry }: SubagentToolOptions,
) {
  // Loaded when the first subagent starts: not every harness has one.
  const { loopAgent } = await import('../../../agents/loop/loop-agent.ts');
  const { id, tools = {}, allowedHarnessTools = [], allowedWorkspaceTools, stopWhen } = subagent;
  const { maxSteps = stopWhen === undefined ? defaultSteps : Number.MAX_SAFE_INTEGER } = subagent;
  const own = loopTools(tools, requestContext);
  const allowed = shared.filter(({ name }) => allowedHarnessTools.includes(name) && !(name in tools));
  const names = new Set([...own, ...allowed].map(({ name }) => name));
  const fromWorkspace = workspaceTools.filter(
    ({ name }) => !names.has(name) && allowedWorkspaceTools?.includes(name) !== false,
  );
  return loopAgent({
    id,
    model,
    instructions: await resolveDynamic(subagent.instructions, requestContext),
    tools: [...own, ...allowed, ...fromWorkspace],
    // The last step has to conclude.
    maxIterations: maxSteps - 1,
    registry: await registry(),
  });
}

function describeResult({ reason, text, error }: RunResult): string {
  if (error !== undefined) return `The subagent failed: ${error.message}`;
  if (reason === 'aborted') return text === '' ? '[Aborted by user]' : `[Aborted by user]\n\nPartial output:\n${text}`;
  return text === '' ? 'The subagent ended without an answer.' : text;
}

/** Returns a subagent's answer as text for the model, and with its metadata for programs. */
function answeredBy(child: RunResult, meta: SubagentMeta) {
  const words = describeResult(child);
  return { ...answered(withSubagentMeta(words, meta), child.error !== undefined), context: words };
}

function answered(content: string, isError: boolean) {
  const result: BuiltinResult = { content, isError };
  return { context: content, result };
}

function failed(content: string) {
  return answered(content, true);
}

function describeSubagents(subagents: readonly HarnessSubagent[]): string {
  const rows = subagents.map(
    ({ id, name, description, forked }) => `- ${id} (${name}${forked === true ? ', forked' : ''}): ${description}`,
  );
  return [
    'Starts a subagent on a task of its own and returns its answer. It sees nothing of this conversation, unless it is',
    'forked: then it continues a copy of it. Several calls run in parallel. Types:',
    ...rows,
  ].join('\n');
}

/** Metadata of a subagent's run. */
interface SubagentMeta {
  readonly modelId: string;
  readonly durationMs: number;
  readonly toolCalls: { readonly name: string; readonly isError: boolean }[];
}

const tag = /\n<subagent-meta modelId="([^"]*)" durationMs="(\d+)" tools="([^"]*)" \/>$/;

/** Appends a line of metadata to a subagent's result. */
export function withSubagentMeta(text: string, { modelId, durationMs, toolCalls }: SubagentMeta): string {
  const tools = toolCalls.map(({ name, isError }) => `${name}:${isError ? 'err' : 'ok'}`).join(',');
  const model = modelId.replaceAll('"', '');
  return `${text}\n<subagent-meta modelId="${model}" durationMs="${Math.round(durationMs)}" tools="${tools.replaceAll('"', '')}" />`;
}

/** Splits the metadata line from a subagent's result; a text without one stays whole. */
export function parseSubagentMeta(content: string): { readonly text: string } & Partial<SubagentMeta> {
  const found = tag.exec(content);
  if (found === null) return { text: content };
  const [, modelId = '', durationMs, tools = ''] = found;
  const toolCalls = tools.split(',').flatMap(entry => {
    const colon = entry.lastIndexOf(':');
    return entry === '' ? [] : [{ name: entry.slice(0, colon), isError: entry.slice(colon + 1) === 'err' }];
  });
  return { text: content.slice(0, found.index), modelId, durationMs: Number(durationMs), toolCalls };
}
