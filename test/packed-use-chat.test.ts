import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from './support/bare-environment.ts';
import { packedProject } from './support/packed-project.ts';
import { installPeers, type PeerPackages, peersReady } from './support/peer-packages.ts';

/** The hook of each version of the AI SDK, with React and a renderer that needs no page. */
const versions = ([5, 6, 7] as const).map(version => {
  const hook = { 5: '2.0.280', 6: '3.0.321', 7: '4.0.177' }[version];
  const react = ['react@19.2.9', 'react-test-renderer@19.2.9', 'zod@4.6.7'];
  const peers: PeerPackages = { folder: `use-chat-${hook}`, packages: [`@ai-sdk/react@${hook}`, ...react] };
  return { version, peers };
});
const isReady = versions.every(({ version, peers }) => peersReady(`useChat of AI SDK ${version}`, peers));

/** A Hono app with sessions of its own, in the packed package, as in the guides. */
const app = `import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { defineTool, loopAgent } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import { MemoryLog } from 'singletree/log';
import { createApp } from 'singletree/server';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const sessions = new Map([
  ['ann', { name: 'ann', resourceId: 'acme', rights: ['read', 'send', 'approve'] }],
  ['bob', { name: 'bob', resourceId: 'bikes', rights: ['read', 'send', 'approve'] }],
]);
const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  input: z.object({ city: z.string() }),
  needsApproval: ({ city }) => city === 'Bergen',
  execute: ({ city }) => ({ degrees: city.length }),
});
const call = city => [{ toolCall: { name: 'weather', input: { city } } }];
const agents = [
  loopAgent({
    id: 'guide',
    model: scriptedModel(({ step, lastUserText }) => (step === 0 ? call(lastUserText) : 'Take an umbrella.')),
    tools: [weather],
    permissions: 'allow',
  }),
];
const log = new MemoryLog();
const control = new Supervisor({ log, agents });
const agentApp = createApp({
  log,
  control,
  agents: {
    list: () => agents.map(({ id }) => ({ id, name: id })),
    get: id => agents.find(agent => agent.id === id),
  },
  authenticate: request => sessions.get(/session=(\\w+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''),
});
const product = new Hono();
product.mount('/agents', agentApp.fetch);
serve({ fetch: product.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(\`http://127.0.0.1:\${port}\`));
`;

/** A component with the hook; it prints what it shows after each step as one line of JSON. */
const page = `import { useChat } from '@ai-sdk/react';
import * as ai from 'ai';
import { createElement, useEffect } from 'react';
import { create } from 'react-test-renderer';

const [version, url] = process.argv.slice(2);
const { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses: isAnswered } = ai;
const headersOf = session => ({ cookie: \`session=\${session}\`, 'x-ai-sdk-version': version, 'x-ai-sdk-tools': 'weather' });

function open(id, session, messages, onError = error => { throw error; }) {
  const waiting = new Set();
  const page = { chat: undefined };
  const transport = new DefaultChatTransport({ api: \`\${url}/agents/api/chat\`, headers: headersOf(session) });
  function Page() {
    page.chat = useChat({ id, messages, transport, onError, ...(isAnswered && { sendAutomaticallyWhen: isAnswered }) });
    useEffect(() => {
      for (const look of [...waiting]) look();
    });
    return null;
  }
  const rendered = create(createElement(Page));
  page.until = isSo =>
    new Promise(resolve => {
      const look = () => {
        if (page.chat === undefined || !isSo(page.chat)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  page.close = () => rendered.unmount();
  return page;
}

const shown = ({ messages }) =>
  messages.map(({ role, parts }) => [
    role,
    ...parts.flatMap(part => {
      if (part.type === 'text') return [part.text];
      return part.type.startsWith('tool-') ? [[part.type, part.state, part.output ?? null]] : [];
    }),
  ]);
const isDone = ({ status, messages }) => status === 'ready' && messages.at(-1)?.parts.some(part => part.type === 'text');
const print = value => console.log(JSON.stringify(value));
const partOf = chat => chat.messages.at(-1)?.parts.find(part => part.type === 'tool-weather');

const first = open('trip', 'ann', []);
await first.until(() => true);
first.chat.sendMessage({ text: 'Oslo' });
await first.until(chat => chat.messages.length === 2 && isDone(chat));
print(shown(first.chat));

if (isAnswered === undefined) {
  // Version 5 has no approvals: the question is a data part, which the page answers itself.
  first.chat.sendMessage({ text: 'Bergen' });
  await first.until(chat => chat.messages.at(-1).parts.some(part => part.type === 'data-approval'));
  const { data } = first.chat.messages.at(-1).parts.find(part => part.type === 'data-approval');
  const headers = { ...headersOf('ann'), 'content-type': 'application/json' };
  const id = encodeURIComponent(data.id ?? data.approvalId);
  const answered = await fetch(\`\${url}/agents/api/relays/\${id}\`, { method: 'POST', headers, body: '{"outcome":"approve"}' });
  if (!answered.ok) throw new Error(await answered.text());
} else {
  first.chat.sendMessage({ text: 'Bergen' });
  await first.until(chat => partOf(chat)?.state === 'approval-requested' && chat.status === 'ready');
  first.chat.addToolApprovalResponse({ id: partOf(first.chat).approval.id, approved: true });
}
await first.until(chat => chat.messages.length === 4 && isDone(chat));
print(shown(first.chat));
first.close();

const stored = await (await fetch(\`\${url}/agents/api/chat/trip/messages\`, { headers: headersOf('ann') })).json();
const again = open('trip', 'ann', stored);
await again.until(chat => chat.messages.length === 4);
print(shown(again.chat));
again.close();

const errors = [];
const other = open('trip', 'bob', [], error => errors.push(error.message));
await other.until(() => true);
other.chat.sendMessage({ text: 'Oslo' });
await other.until(chat => chat.status === 'error');
print([other.chat.messages.length, JSON.parse(errors[0]).code]);
process.exit();
`;

describe.skipIf(!isReady)('useChat against a Hono app of the packed package with its own sessions', () => {
  let project = '';
  let server: ChildProcess;
  let url = '';
  beforeAll(async () => {
    project = packedProject();
    writeFileSync(join(project, 'app.mjs'), app);
  });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it.each(versions)(
    'AI SDK $version shows texts, known tools and approvals, the same after a reload, and nothing to others',
    async ({ version, peers }) => {
      const folder = await installPeers(peers);
      const env = { ...bareEnvironment(), HOME: project };
      server = spawn(process.execPath, ['app.mjs'], { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
        url = String(line).trim();
        const program = join(folder, 'page.mjs');
        writeFileSync(program, page);
        const { stdout } = await promisify(execFile)(process.execPath, [program, String(version), url], {
          env,
          timeout: 60_000,
        });
        const lines = stdout
          .trim()
          .split('\n')
          .map(text => JSON.parse(text) as unknown);
        const turn = (city: string) => [
          ['user', city],
          ['assistant', ['tool-weather', 'output-available', { degrees: city.length }], 'Take an umbrella.'],
        ];
        const both = [...turn('Oslo'), ...turn('Bergen')];
        expect(lines).toEqual([turn('Oslo'), both, both, [1, 'thread_not_found']]);
      } finally {
        server.kill('SIGTERM');
        await once(server, 'exit');
      }
    },
    300_000,
  );
});
