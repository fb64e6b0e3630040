// A coordinator asks three subagents at once. Every run is in one stream, under the call that started it.
import { createGraph, getChildren, reduceEvent } from 'singletree';
import { agentTool, createOrchestrator, loopAgent } from 'singletree/agents';
import { toToolOutput } from 'singletree/events';
import { scriptedModel } from 'singletree/testing';

const scout = loopAgent({
  id: 'scout',
  model: scriptedModel(request => `${request.lastUserText} looks fine.`),
});
const ask = (task: string) => ({ toolCall: { name: 'agent', input: { agent: 'scout', task } } });
const coordinator = loopAgent({
  id: 'coordinator',
  model: scriptedModel([[ask('The server'), ask('The client'), ask('The docs')], 'All three look fine.']),
  tools: [
    agentTool({
      agents: [{ agent: scout, description: 'looks at one thing' }],
      maxDepth: 1,
      budget: { runs: 5, outputTokens: 10_000 },
    }),
  ],
  permissions: { default: 'allow', rules: [] },
});

const orchestrator = createOrchestrator();
orchestrator.spawn(coordinator, { prompt: 'Is everything fine?' });
let graph = createGraph();
for await (const event of orchestrator.events()) {
  graph = reduceEvent(graph, event);
  if (event.type === 'relay') orchestrator.resolveRelay(event.id, { outcome: 'approve' });
  if (event.type === 'harness_start') console.log(`${event.agentId} starts`);
  if (event.type === 'tool_result') {
    const output = toToolOutput(event.output);
    if ('context' in output) console.log(`← ${String(output.context)}`);
  }
  if (event.type === 'harness_end') console.log(`${event.agentId} ends (${event.reason})`);
}
for (const node of graph.nodes.values())
  if (node.kind === 'tool_call') console.log(node.name, '→', ...getChildren(graph, node.id).map(({ kind }) => kind));
