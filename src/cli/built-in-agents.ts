import { join } from 'node:path';
import type { Agent } from '../agents/index.ts';
import { createModelRegistry, loopAgent } from '../agents/index.ts';
import { demoAgent } from '../agents/demo/demo-agent.ts';
import { demoPermissions, demoTools } from '../agents/demo/demo-tools.ts';
import type { AgentDirectory } from '../server/index.ts';
import { singletreeHome } from './home.ts';

/** The models the page offers, best default first; any other can be named through the library. */
const offered = [
  'anthropic/claude-sonnet-5',
  'anthropic/claude-opus-5-5',
  'anthropic/claude-haiku-4-5',
  'openai/gpt-6-sol',
  'openai/gpt-5.5',
  'openai/gpt-5.4-mini',
];

const instructions =
  'You are a helpful assistant. You can read the clock, read notes and, with permission, save notes.';

/** The agents every installation has: the demo, and an assistant on real models when a key is set. */
export function builtInAgents(): AgentDirectory & { readonly all: readonly Agent[]; readonly hint: string } {
  const folder = join(singletreeHome(), 'demo');
  const registry = createModelRegistry();
  const models = offered.filter(id => registry.isConfigured(id));
  const demo = { id: 'demo', name: 'Demo', description: 'A scripted agent that needs no key' };
  const assistant = { id: 'assistant', name: 'Assistant', description: 'An assistant on a real model', models };
  const agents: Agent[] = [demoAgent({ folder })];
  const [model] = models;
  if (model !== undefined)
    agents.push(
      loopAgent({
        id: 'assistant',
        model,
        registry,
        instructions,
        tools: demoTools(folder),
        permissions: demoPermissions,
      }),
    );
  return {
    all: agents,
    hint: model === undefined ? ' (set ANTHROPIC_API_KEY or OPENAI_API_KEY for real models)' : '',
    list: () => (model === undefined ? [demo] : [demo, assistant]),
    get: id => agents.find(agent => agent.id === id),
  };
}
