// What agents did and cost over all threads, read from the log, and one conversation as a drawing in SVG.
import { agentTool, defineTool, loopAgent } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import { createConversation, defaultActive, reduceConversation } from 'singletree/graph';
import { MemoryLog } from 'singletree/log';
import { foldAll, projectDAG, totals } from 'singletree/projections';
import { scriptByStep, scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const count = defineTool({
  name: 'count',
  description: 'Counts the orders of a city.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, orders: city.length }),
});
const call = (name: string, input: object) => ({ toolCall: { name, input } });
const helper = loopAgent({
  id: 'helper',
  model: scriptedModel(scriptByStep([[call('count', { city: 'Oslo' })], 'Four in Oslo.'])),
  tools: [count],
  permissions: 'allow',
});
const agent = loopAgent({
  id: 'analyst',
  model: scriptedModel(
    scriptByStep([[call('count', { city: 'Rome' }), call('agent', { task: 'Count the orders of Oslo.' })], 'Eight.']),
  ),
  tools: [count, agentTool({ agents: [{ agent: helper, description: 'counts' }] })],
  permissions: 'allow',
});

const log = new MemoryLog();
const supervisor = new Supervisor({ log });
for (const resourceId of ['acme', 'bikes']) {
  const { id } = await log.createThread({ resourceId });
  await (await supervisor.start(id, { agent, content: 'Count the orders.' })).done;
}
for (const { resourceId, modelCalls } of (await log.usage?.({ by: ['resource'] })) ?? [])
  console.log(`${resourceId}: ${modelCalls} model calls`);
for (const { tool, toolCalls = 0, failedCalls = 0 } of (await log.usage?.({ by: ['tool'] })) ?? [])
  console.log(`${tool}: ${toolCalls} calls, ${failedCalls} failed`);

const [thread] = await log.listThreads();
const events = await log.read(thread?.id ?? '');
for (const { tool, toolCalls } of foldAll(totals, events).tools) console.log(`${tool}: ${toolCalls} calls`);
const conversation = events.reduce(reduceConversation, createConversation());
const { nodes, edges, groups } = projectDAG(conversation, defaultActive(conversation));
const boxes = nodes.map(({ x, y, width, height, label }) => {
  const text = `<text x="${x + 8}" y="${y + 24}">${label.replace(/[<&]/g, '')}</text>`;
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="none" stroke="black"/>${text}`;
});
const svg = `<svg xmlns="http://www.w3.org/2000/svg">${boxes.join('')}</svg>`;
console.log(`${nodes.length} nodes, ${edges.length} edges, ${groups.length} subagent: ${svg.slice(0, 4)}…`);
await supervisor.close();
