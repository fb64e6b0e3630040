import type { Agent, InvokeParams } from '../../../agents/contract/agent.ts';
import { loopAgentFields, type LoopAgentOptions } from '../../../agents/loop/loop-agent-options.ts';
import type { ModelSource } from '../../../agents/contract/model.ts';
import { startEvent } from '../../../agents/start-event.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { errorText } from '../../../base/error-text.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { checkValue, optionsCheck } from '../../../base/options/check-options.ts';
import { having } from '../../../base/options/option-fields.ts';
import { stoppedAgent, type StopCondition } from '../subagents/stopped-agent.ts';
import { loopTools, type HarnessTool, type ToolsInput } from './harness-tool.ts';
import { RequestContext } from './request-context.ts';
import { defined } from '../../../base/defined.ts';
import type { PublicSchema } from '../arguments/standard-schema.ts';

/** The parts of an agent written for Mastra that are used. */
export interface MastraAgent {
  readonly id?: string;
  readonly name?: string;
  // Method types, so that agents with narrower options are assignable.
  getInstructions(...options: never[]): unknown;
  listTools(...options: never[]): unknown;
  getModel(...options: never[]): unknown;
  getDefaultOptions?(...options: never[]): unknown;
}

/** The options of the loop that runs the agent; `model` replaces the agent's own. */
export type MastraAgentOptions = Omit<LoopAgentOptions, 'id' | 'model' | 'instructions' | 'tools'> & {
  readonly model?: ModelSource;
};

/** The options of a Mastra agent that apply here. */
interface DefaultOptions {
  readonly maxSteps?: number;
  readonly stopWhen?: StopCondition | readonly StopCondition[];
}

const agentShape = having(['getInstructions', 'listTools', 'getModel'], 'an agent of Mastra');

const ofAgent = new Set(['id', 'instructions', 'tools']);
const checkOptions = optionsCheck('mastraAgent')(() => {
  const { model, ...fields } = loopAgentFields();
  const others = Object.entries(fields).filter(([name]) => !ofAgent.has(name));
  return { model: model.optional(), ...Object.fromEntries(others) };
});

/**
 * Converts an agent written for Mastra: its instructions, tools, model, `maxSteps` and `stopWhen` are resolved with the
 * request context at the start of each run, and the loop runs them. Throws `invalid_argument` for anything else.
 */
export function mastraAgent(agent: MastraAgent, options: MastraAgentOptions = {}): Agent {
  checkValue(agentShape, agent, '`mastraAgent`');
  checkOptions(options);
  const id = agent.id ?? agent.name ?? 'mastra';

  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    let resolved: Agent;
    try {
      resolved = await resolveAgent(id, agent, params, options);
    } catch (error) {
      const { runId, resume } = params.run;
      if (resume?.agentId === undefined) yield startEvent(id, params.run, options.cwd);
      yield { type: 'error', runId, message: errorText(error), code: 'agent_failed', fatal: true };
      yield { type: 'harness_end', runId, agentId: id, reason: 'error' };
      return;
    }
    yield* resolved.invoke(params);
  }
  return { id, abilities: { resumable: true, hasOwnModel: true }, invoke };
}

async function resolveAgent(
  id: string,
  agent: MastraAgent,
  { run: { model: chosen }, host: { request: given } }: InvokeParams,
  { model: own, ...options }: MastraAgentOptions,
): Promise<Agent> {
  // Loaded when the first of these agents runs: most harnesses have none.
  const { loopAgent } = await import('../../../agents/loop/loop-agent.ts');
  const requestContext = given instanceof RequestContext ? given : new RequestContext();
  const request = { requestContext } as never;
  const tools = (await agent.listTools(request)) as MastraTools;
  const { maxSteps, stopWhen } = ((await agent.getDefaultOptions?.(request)) ?? {}) as DefaultOptions;
  const loop = loopAgent({
    // The last step has to conclude.
    ...(maxSteps !== undefined && { maxIterations: maxSteps - 1 }),
    ...options,
    id,
    model: chosen ?? own ?? ((await agent.getModel(request)) as ModelSource),
    instructions: instructionText(await agent.getInstructions(request)),
    tools: loopTools(mastraTools(tools), requestContext),
  });
  return stopWhen === undefined ? loop : stoppedAgent(loop, stopWhen);
}

/** Instructions are a text, a system message, or a list of these. */
function instructionText(instructions: unknown): string {
  if (typeof instructions === 'string') return instructions;
  if (Array.isArray(instructions)) return instructions.map(instructionText).join('\n\n');
  const { content } = Object(instructions) as { content?: unknown };
  if (typeof content === 'string') return content;
  throw new SingletreeError(
    'invalid_argument',
    'The instructions of the agent are unreadable. Expected a string, a system message with a text, or a list of these.',
  );
}

/** The parts of a tool written for Mastra that are used. */
export interface MastraTool {
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly resumeSchema?: unknown;
  readonly execute?: ((...call: never[]) => unknown) | undefined;
}

/** Tools written for Mastra, by name. */
export type MastraTools = Readonly<Record<string, MastraTool>>;

/**
 * Converts tools written for Mastra, such as those of `createTool`, to tools of a harness. Throws `invalid_argument` for
 * a tool without `execute`: tools of the client or of a provider have no meaning here.
 */
export function mastraTools(tools: MastraTools): ToolsInput {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, harnessTool(name, tool)]));
}

function harnessTool(name: string, tool: MastraTool): HarnessTool {
  const { description, inputSchema, resumeSchema } = tool;
  const execute = tool.execute as ((input: unknown, context: unknown) => unknown) | undefined;
  if (execute === undefined)
    throw new SingletreeError(
      'invalid_argument',
      `The tool "${name}" has no \`execute\`. Give it one: tools that a client or a provider executes are not supported.`,
    );
  return {
    ...defined({ description }),
    ...(inputSchema !== undefined && { inputSchema: inputSchema as PublicSchema }),
    ...(resumeSchema !== undefined && { resumeSchema: resumeSchema as PublicSchema }),
    execute: (input, context) => execute.call(tool, input, context),
  };
}
