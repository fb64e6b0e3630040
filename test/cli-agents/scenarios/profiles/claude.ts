import { claudeLive } from '../../../../src/agents/cli/adapters/claude/live/adapter.ts';
import type { ModelScript } from '../../../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../../../src/agents/model/scripted/scripted-request.ts';
import { callTool } from '../../support/live-scene.ts';
import { claudeVersions } from '../../support/real-program.ts';
import type { Profile } from '../profile.ts';

export const bash = (command: string) => callTool('Bash', { command, description: `runs ${command}` });
const agent = (prompt: string) =>
  callTool('Agent', { description: prompt, prompt, subagent_type: 'general-purpose', run_in_background: false });

/** The file for the plan, which its instructions name. */
const planFile = ({ messages }: ScriptedRequest) =>
  /\/[^\s"'`\\]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(messages))?.[0];

const options = [
  { label: 'Red', description: 'r' },
  { label: 'Blue', description: 'b' },
];
const question = { question: 'Which colour?', header: 'Colour', multiSelect: false, options };
const plan = '# Paint\n1. paint it';

/** Calls of one message are asked about in turn; those of two subagents at once. */
const twoSubagents: ModelScript = request => {
  const task = ['one', 'two'].find(name => JSON.stringify(request.messages.slice(0, 2)).includes(`SUBAGENT-${name}`));
  const isFirst = request.toolResults.length === 0;
  if (task !== undefined) return isFirst ? bash(`touch ${task}.txt`) : `${task} is done.`;
  return isFirst ? [...agent('SUBAGENT-one do'), ...agent('SUBAGENT-two do')] : 'All done.';
};

/** Claude Code. */
export const claude: Profile = {
  agent: 'claude',
  versions: claudeVersions,
  live: claudeLive,
  shell: bash,
  tool: 'Bash',
  write: file_path => callTool('Write', { file_path, content: 'hi\n' }),
  twoRequests: twoSubagents,
  subagent: agent,
  planning: {
    mode: 'plan',
    rejects: true,
    turns: [
      callTool('AskUserQuestion', { questions: [question] }),
      request => callTool('Write', { file_path: planFile(request), content: plan }),
      callTool('ExitPlanMode', { plan }),
      callTool('ExitPlanMode', { plan }),
      bash('touch painted.txt'),
      'Done.',
    ],
  },
  without: {},
};
