import type { AgentEvent } from '../../events/vocabulary.ts';
import type { CallableAgent, InvokeParams, InvokeRequest, Tool } from '../contract/agent.ts';
import { toInvokeParams } from '../contract/invoke-params.ts';
import type { RunOrigin } from '../contract/run-params.ts';
import { invalidArgument, optionsCheck } from '../../base/options/check-options.ts';
import { agentNamed } from '../model/call/model-options.ts';
import { checkModelId } from '../model/registry/model-source.ts';
import type { ModelRegistry } from '../contract/model.ts';
import { toRuleSet } from '../permissions/check-sources.ts';
import { frozenEvents } from '../frozen-events.ts';
import { withRun } from '../run-agent.ts';
import { startEvent } from '../start-event.ts';
import { EventChannel } from '../run/event-channel.ts';
import { clientTool } from './client-tool.ts';
import { type AgentTools, toolList } from '../tool-definition/ai-sdk-tool.ts';
import { Loop } from './loop.ts';
import { loopAgentFields, type LoopAgentOptions } from './loop-agent-options.ts';
import { checkOutput } from './structured-output.ts';
import { type Stop, stopWith } from '../run/stop-with.ts';
import { describeInput, describeTool } from '../tool-definition/define-tool.ts';

/** The abort reason of a run that has ended. */
const runEnded = new Error('The run has ended.');

const checkOptions = optionsCheck('loopAgent', agentNamed)(loopAgentFields);

/**
 * Creates an agent that calls a model, executes the tools it asks for, and repeats until it has an answer. Throws
 * `invalid_argument` for invalid options and `invalid_permission_rule` for invalid rules.
 */
export function loopAgent<Output = unknown, Context = unknown>(
  given: LoopAgentOptions<Output, Context>,
): CallableAgent<Output> & Required<Pick<CallableAgent, 'requestOf'>> {
  checkOptions(given);
  const options = given as LoopAgentOptions;
  const { id = 'loop', permissions, tools: ownTools = [] } = options;
  if (options.output !== undefined) checkOutput(options.output, id);
  if (permissions !== undefined) toRuleSet(permissions);
  if (typeof ownTools !== 'function') for (const tool of listTools(id, ownTools).values()) describeInput(tool);
  /** The categories of tools that a function returned for the runs so far. */
  const categories = new Map<string, string | undefined>();
  /** Returns the agent's own tools and those of the run and its client, without withheld ones. */
  const selectTools = (params: InvokeParams) => (origin: RunOrigin) => {
    const { additions: { tools: theirs = [] } = {} } = params.run;
    const { tools: more = [], withheldTools = [] } = params.host;
    const ofAgent = listTools(id, typeof ownTools === 'function' ? ownTools(origin) : ownTools);
    if (typeof ownTools === 'function')
      for (const { name, category } of ofAgent.values()) categories.set(name, category);
    const own = [...ofAgent, ...more.map(tool => [tool.name, tool] as const)];
    const names = new Set(own.map(([name]) => name));
    const added = theirs.filter(({ name }) => !names.has(name)).map(tool => [tool.name, clientTool(tool)] as const);
    const tools = new Map<string, Tool>([...own, ...added]);
    for (const name of withheldTools) tools.delete(name);
    return { tools, described: [...tools.values()].map(describeTool) };
  };

  async function run(params: InvokeParams, channel: EventChannel, stop: Stop): Promise<void> {
    const { runId, resume } = params.run;
    if (resume?.endedBy !== undefined) return;
    if (resume?.agentId === undefined) await channel.put(startEvent(id, params.run, options.cwd));
    const loop = new Loop(
      options,
      selectTools(params),
      { ...params, run: { ...params.run, signal: stop.signal } },
      channel,
    );
    const reason = await loop.run();
    if (!loop.hasRunTools) stop.leave();
    const output = loop.output !== undefined && { output: loop.output };
    await channel.put({ type: 'harness_end', runId, agentId: id, reason, ...output });
  }
  function invoke(request: InvokeRequest): AsyncIterable<AgentEvent> {
    const params = toInvokeParams(request);
    const stop = stopWith(params.run.signal);
    const end = () => stop.abort(runEnded);
    const channel = new EventChannel();
    return frozenEvents(channel.stream(() => run(params, channel, stop).finally(end), end));
  }
  const categoryOf = (toolName: string) =>
    typeof ownTools === 'function' ? categories.get(toolName) : listTools(id, ownTools).get(toolName)?.category;
  const requestOf = (request: InvokeRequest) => {
    const params = toInvokeParams(request);
    return new Loop(options, selectTools(params), params, new EventChannel()).firstRequest();
  };
  const checkModel = (modelId: string, registry: ModelRegistry) => checkModelId(modelId, options.registry ?? registry);
  const hasOwnModel = typeof options.model !== 'string';
  const agent = withRun<Output>({
    id,
    abilities: { resumable: true, hasOwnModel, takesAdditions: true },
    checkModel,
    categoryOf,
    invoke,
  });
  return { ...agent, requestOf };
}

/** Returns tools by name; throws `invalid_argument` when two have the same. */
function listTools(id: string, tools: AgentTools): Map<string, Tool> {
  const list = toolList(tools);
  const byName = new Map<string, Tool>();
  for (const tool of list) {
    if (byName.has(tool.name)) throw invalidArgument(`The agent "${id}" has two tools with the name "${tool.name}".`);
    byName.set(tool.name, tool);
  }
  return byName;
}
