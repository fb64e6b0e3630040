import { clineAdapter } from '../../../../src/agents/cli/adapters/cline/adapter.ts';
import { copilotAdapter } from '../../../../src/agents/cli/adapters/copilot/adapter.ts';
import { geminiAdapter } from '../../../../src/agents/cli/adapters/gemini/adapter.ts';
import { gooseAdapter } from '../../../../src/agents/cli/adapters/goose/adapter.ts';
import { qwenAdapter } from '../../../../src/agents/cli/adapters/qwen/adapter.ts';
import type { LiveAdapter } from '../../../../src/agents/cli/contract/live-channel.ts';
import type { ScriptedRequest } from '../../../../src/agents/model/scripted/scripted-request.ts';
import { callTool } from '../../support/live-scene.ts';
import type { Profile } from '../profile.ts';

const noRevision = 'the program takes no revised input';
const noQuestion = 'the model is offered no tool for questions over this channel';
const noPlan = 'the program has no approval of plans over this channel';
const noFork = 'the program cannot fork a session';

const runs = (command: string) => callTool('run_shell_command', { command, description: 'run' });
const qwenShell = (command: string) =>
  callTool('run_shell_command', { command, description: 'run', is_background: false });

const options = [
  { label: 'Red', description: 'r' },
  { label: 'Blue', description: 'b' },
];
const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }];
const plan = '# Plan\n1. paint it';

/** The folder for plans, which the instructions of Gemini CLI name. */
const planFile = ({ messages }: ScriptedRequest) =>
  `${/[^\s"'`\\]+\/plans(?=[/`"\s.\\])/.exec(JSON.stringify(messages))?.[0] ?? '.'}/paint.md`;

/** The programs that are used over the Agent Client Protocol. */
export const acpProfiles: readonly Profile[] = [
  {
    agent: 'goose',
    versions: ['goose'],
    live: gooseAdapter.live as LiveAdapter,
    shell: command => callTool('shell', { command }),
    tool: 'shell',
    subagent: instructions => callTool('delegate', { instructions }),
    visionModel: 'gpt-4o',
    without: {
      revise: noRevision,
      question: 'only servers of tools ask, and none is part of the program',
      plan: noPlan,
    },
  },
  {
    agent: 'cline',
    versions: ['cline'],
    live: clineAdapter.live as LiveAdapter,
    shell: command => callTool('run_commands', { commands: [command] }),
    tool: 'run_commands',
    subagent: task => callTool('spawn_agent', { systemPrompt: 'You are alpha.', task }),
    without: {
      revise: noRevision,
      question: noQuestion,
      plan: noPlan,
      fork: noFork,
      image: 'the program does not send images to the model',
    },
  },
  {
    agent: 'qwen',
    versions: ['qwen'],
    live: qwenAdapter.live as LiveAdapter,
    shell: qwenShell,
    tool: 'run_shell_command',
    visionModel: 'qwen-vl-max',
    aside: /Existing memory files|Reply with ONLY the suggestion/,
    subagent: prompt => callTool('agent', { description: 'Alpha', prompt, subagent_type: 'general-purpose' }),
    planning: {
      mode: 'plan',
      turns: [
        callTool('ask_user_question', { questions }),
        callTool('exit_plan_mode', { plan }),
        qwenShell('touch painted.txt'),
        'Done.',
      ],
    },
    without: { revise: noRevision, fork: noFork },
  },
  {
    agent: 'copilot',
    versions: ['copilot'],
    live: copilotAdapter.live as LiveAdapter,
    shell: command => callTool('bash', { command, description: 'run' }),
    tool: 'bash',
    subagent: prompt =>
      callTool('task', { name: 'alpha', agent_type: 'general-purpose', description: 'Alpha', prompt, mode: 'sync' }),
    without: { revise: noRevision, question: noQuestion, plan: noPlan, fork: noFork },
  },
  {
    agent: 'gemini',
    versions: ['gemini'],
    live: geminiAdapter.live as LiveAdapter,
    shell: runs,
    tool: 'run_shell_command',
    write: file_path => callTool('write_file', { file_path, content: 'hi\n' }),
    showsDiff: true,
    subagent: prompt => callTool('invoke_agent', { agent_name: 'codebase_investigator', prompt }),
    planning: {
      mode: 'plan',
      turns: [
        request => callTool('write_file', { file_path: planFile(request), content: plan }),
        callTool('exit_plan_mode', { plan_filename: 'paint.md' }),
        runs('touch painted.txt'),
        'Done.',
      ],
    },
    without: { revise: noRevision, question: noQuestion, fork: noFork },
  },
];
