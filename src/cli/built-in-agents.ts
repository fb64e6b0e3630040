import { homedir } from 'node:os';
import { join } from 'node:path';
import { cliAdapters } from '../agents/cli/adapters/index.ts';
import { isInstalled } from '../agents/cli/agent/find-program.ts';
import { demoAgent, demoSuggestions } from '../agents/demo/demo-agent.ts';
import { demoPermissions, demoTools } from '../agents/demo/demo-tools.ts';
import type { Agent } from '../agents/index.ts';
import { cliAgent, createModelRegistry, loopAgent } from '../agents/index.ts';
import type { AgentInfo } from '../protocols/index.ts';
import type { AgentDirectory } from '../server/index.ts';
import { recordedAgent } from './recorded-agent.ts';
import { runsFolder } from './run-agent.ts';

/** The models that the page offers, best default first; the library accepts any other. */
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

export interface BuiltInOptions {
  /** The folder for notes and run records. */
  readonly home: string;
  /** The working directory of external agents. */
  readonly cwd: string;
  /** Lets external agents do everything without asking. */
  readonly yolo: boolean;
}

export interface BuiltInAgents extends AgentDirectory {
  readonly all: readonly Agent[];
  readonly hint: string;
}

interface Offered {
  readonly agent: Agent;
  readonly info: AgentInfo;
}

/** Returns the agents of an installation: the demo, an assistant when a key is set, the installed external agents. */
export async function builtInAgents(options: BuiltInOptions): Promise<BuiltInAgents> {
  const folder = join(options.home, 'demo');
  const demo = {
    id: 'demo',
    name: 'Demo',
    description: 'A scripted agent that needs no key',
    suggestions: [...demoSuggestions],
  };
  const assistant = assistantOn(folder);
  const agents: Offered[] = [
    { info: demo, agent: demoAgent({ folder }) },
    ...(assistant === undefined ? [] : [assistant]),
    ...(await externalAgents(options)),
  ];
  return {
    all: agents.map(({ agent }) => agent),
    hint: assistant === undefined ? ' (set ANTHROPIC_API_KEY or OPENAI_API_KEY for real models)' : '',
    list: () => agents.map(({ info }) => info),
    get: id => agents.find(({ agent }) => agent.id === id)?.agent,
  };
}

function assistantOn(folder: string): Offered | undefined {
  const registry = createModelRegistry();
  const models = offered.filter(id => registry.isConfigured(id));
  const [model] = models;
  if (model === undefined) return undefined;
  const tools = demoTools(folder);
  return {
    info: { id: 'assistant', name: 'Assistant', description: 'An assistant on a real model', models },
    agent: loopAgent({ id: 'assistant', model, registry, instructions, tools, permissions: demoPermissions }),
  };
}

async function externalAgents({ home, cwd, yolo }: BuiltInOptions): Promise<Offered[]> {
  const found = await Promise.all(
    Object.values(cliAdapters).map(async adapter => ((await isInstalled(adapter, process.env)) ? [adapter] : [])),
  );
  return found.flat().map(({ id, name }) => ({
    info: { id, name, description: `${name} in ${cwd.replace(homedir(), '~')}` },
    agent: recordedAgent(cliAgent(id, { cwd, yolo }), runId => runsFolder(home, runId)),
  }));
}
