import { execFileSync } from 'node:child_process';
import { kiloAdapter } from '../../../../src/agents/cli/adapters/kilo/adapter.ts';
import { opencodeAdapter } from '../../../../src/agents/cli/adapters/opencode/adapter.ts';
import type { LiveAdapter } from '../../../../src/agents/cli/contract/live-channel.ts';
import type { ScriptedRequest } from '../../../../src/agents/model/scripted/scripted-request.ts';
import { callTool } from '../../support/live-scene.ts';
import type { Profile, Turn } from '../profile.ts';

export const bash = (command: string) => callTool('bash', { command, description: `runs ${command}` });
const writes = (filePath: string, content = 'hi\n') => callTool('write', { filePath, content });

const options = [
  { label: 'Red', description: 'r' },
  { label: 'Blue', description: 'b' },
];
const question = callTool('question', { questions: [{ question: 'Which colour?', header: 'Colour', options }] });
const plan = '# Paint\n1. paint it\n';

const common = {
  shell: bash,
  tool: 'bash',
  write: writes,
  showsDiff: true,
  prepare: (live: { readonly options: { readonly cwd: string } }) =>
    void execFileSync('git', ['init', '--quiet'], { cwd: live.options.cwd }),
  subagent: (prompt: string) => callTool('task', { description: 'look', prompt, subagent_type: 'general' }),
  without: { revise: 'the program takes no revised input' },
};

/** The file for the plan, which the instructions of OpenCode name. */
const planFile = ({ messages }: ScriptedRequest) =>
  /[\w./-]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(messages))?.[0] ?? '.opencode/plans/paint.md';

const inOpenCode: readonly Turn[] = [
  question,
  request => writes(planFile(request), plan),
  callTool('plan_exit', {}),
  callTool('plan_exit', {}),
  bash('touch painted.txt'),
  'Done.',
];

// Kilo Code ends its turn with the plan.
const inKilo: readonly Turn[] = [
  question,
  writes('.kilo/plans/paint.md', plan),
  callTool('plan_exit', { path: '.kilo/plans/paint.md' }),
  bash('touch painted.txt'),
  'Done.',
];

/** OpenCode. */
export const opencode: Profile = {
  ...common,
  agent: 'opencode',
  versions: ['opencode'],
  live: opencodeAdapter.live as LiveAdapter,
  planning: { mode: 'plan', rejects: true, turns: inOpenCode },
};

/** Kilo Code. */
export const kilo: Profile = {
  ...common,
  agent: 'kilo',
  versions: ['kilo'],
  live: kiloAdapter.live as LiveAdapter,
  planning: { mode: 'plan', turns: inKilo },
};
