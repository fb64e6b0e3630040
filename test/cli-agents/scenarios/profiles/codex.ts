import { codexLive } from '../../../../src/agents/cli/adapters/codex/live/adapter.ts';
import type { ModelScript, ScriptedPart } from '../../../../src/agents/model/scripted/script.ts';
import { callTool } from '../../support/live-scene.ts';
import { subagentTask } from '../conversation.ts';
import type { Profile } from '../profile.ts';
import { codexVersions } from '../../support/real-program.ts';

export const shell = (cmd: string, more: object = {}) => callTool('exec_command', { cmd, ...more });
const ofAgents = (name: string, input: object): ScriptedPart[] =>
  callTool(name, input).map(part =>
    'toolCall' in part ? { toolCall: { ...part.toolCall, namespace: 'multi_agent_v1' } } : part,
  );

export const question = {
  id: 'colour',
  header: 'Colour',
  question: 'Which colour?',
  options: [
    { label: 'Red', description: 'r' },
    { label: 'Blue', description: 'b' },
  ],
};

const subagentScript: ModelScript = request => {
  const isChild =
    JSON.stringify(request.messages).includes(subagentTask) &&
    !request.toolCalls.some(({ name }) => name === 'spawn_agent');
  const [spawned, ...more] = request.toolResults;
  if (isChild) return spawned === undefined ? shell('touch sub.txt') : 'Sub done.';
  if (spawned === undefined) return ofAgents('spawn_agent', { message: subagentTask });
  const target = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(spawned.text)?.[0];
  return more.length === 0 ? ofAgents('wait_agent', { targets: [target], timeout_ms: 20_000 }) : 'Parent done.';
};

/** Codex. */
export const codex: Profile = {
  agent: 'codex',
  versions: codexVersions,
  live: codexLive,
  shell,
  tool: 'command_execution',
  write: path => callTool('apply_patch', `*** Begin Patch\n*** Add File: ${path}\n+hi\n*** End Patch\n`),
  showsDiff: true,
  subagent: { script: subagentScript, model: 'gpt-5.1-codex' },
  planning: {
    mode: 'plan',
    rejects: true,
    turns: [
      callTool('request_user_input', { questions: [question] }),
      '<proposed_plan>\n# Paint\n1. paint it\n</proposed_plan>',
      '<proposed_plan>\n# Paint better\n1. paint it twice\n</proposed_plan>',
      shell('touch painted.txt'),
      'Done.',
    ],
  },
  without: { revise: 'the program takes no revised input' },
};
