// A model calls a tool of an MCP server. The server is this same file, started as a program of its own.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { connectMcp, loopAgent } from 'singletree/agents';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';

function weatherServer() {
  const server = new McpServer({ name: 'weather', version: '1.0.0' });
  const about = { description: 'Tells the weather of tomorrow.', inputSchema: z.object({ city: z.string() }) };
  server.registerTool('forecast', about, ({ city }) => ({ content: [{ type: 'text', text: `Rain in ${city}.` }] }));
  return server;
}

async function ask() {
  const source = await connectMcp({
    name: 'weather',
    command: process.execPath,
    args: [import.meta.filename, 'serve'],
  });
  const [forecast] = source.tools();
  const call = { name: forecast?.name ?? '', input: { city: 'Bergen' } };
  const agent = loopAgent({
    model: scriptedModel([[{ toolCall: call }], 'Take an umbrella.']),
    tools: source.tools(),
    permissions: { rules: [{ category: 'mcp', policy: 'allow' }] },
  });
  const messages = [{ role: 'user' as const, content: 'I go to Bergen tomorrow.' }];
  for await (const event of agent.invoke({ conversation: { messages } })) {
    if (event.type === 'tool_call') console.log(`→ ${event.name} ${JSON.stringify(event.input)}`);
    if (event.type === 'tool_result') console.log(`← ${JSON.stringify(event.output)}`);
    if (event.type === 'text') process.stdout.write(event.content);
  }
  await source.close();
}

if (process.argv[2] === 'serve') serveStdio(weatherServer);
else await ask();
