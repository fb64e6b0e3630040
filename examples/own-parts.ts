// Parts of your own in one server: an agent by hand, one with a skill and an MCP server, and a wire protocol.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Agent, connectMcp, discoverSkills, loopAgent, skillTool } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import { MemoryLog } from 'singletree/log';
import { type Protocol, sseFraming } from 'singletree/protocols';
import { startServer } from 'singletree/server';
import { scriptByStep, scriptedModel } from 'singletree/testing';

const parrot: Agent = {
  id: 'parrot',
  async *invoke({ run: { runId, parentId = runId }, conversation: { messages } }) {
    yield { type: 'harness_start', runId, agentId: 'parrot', parentId };
    yield { type: 'text', runId, id: `${runId}/1`, content: JSON.stringify(messages.at(-1)?.content) };
    yield { type: 'harness_end', runId, agentId: 'parrot', reason: 'complete' };
  },
};
const words: Protocol = {
  description: 'the words that agents wrote',
  covers: 'thread',
  framing: sseFraming,
  encoder: () => ({ encode: event => (event.type === 'text' ? event.content.split(/\s+/) : []), end: () => [] }),
};
const folder = mkdtempSync(join(tmpdir(), 'singletree-'));
mkdirSync(join(folder, 'greet'));
writeFileSync(join(folder, 'greet/SKILL.md'), '---\ndescription: greets people\n---\nSay "Moin".\n');
const { skills } = await discoverSkills([folder]);
const weather = fileURLToPath(new URL('mcp-server.js', import.meta.url));
const source = await connectMcp({ name: 'weather', command: process.execPath, args: [weather, 'serve'] });
const call = (name: string, input: object) => [{ toolCall: { name, input } }];
const script = [call('skill', { skill: 'greet' }), call('mcp__weather__forecast', { city: 'Bergen' }), 'Moin, rain!'];
const guide = loopAgent({
  id: 'guide',
  model: scriptedModel(scriptByStep(script)),
  tools: [skillTool(skills), ...source.tools()],
  permissions: 'allow',
});

const [log, agents] = [new MemoryLog(), [parrot, guide]];
const control = new Supervisor({ log, agents });
const list = () => agents.map(({ id }) => ({ id, name: id }));
const get = (id: string) => agents.find(agent => agent.id === id);
const server = await startServer({ log, control, agents: { list, get }, port: 0, protocols: { words } });
const { id } = await log.createThread();
for (const agent of agents) await (await control.start(id, { agent, content: 'Good morning' })).done;
for (const event of await log.read(id)) if (event.type === 'tool_result') console.log(JSON.stringify(event.output));
const frames = await fetch(`${server.url}/api/threads/${id}/events?protocol=words`);
const { value } = (await frames.body?.getReader().read()) ?? {};
console.log(
  new TextDecoder()
    .decode(value)
    .match(/^data: .*$/gm)
    ?.join(' '),
);
await Promise.all([server.close(), control.close(), source.close()]);
rmSync(folder, { recursive: true });
