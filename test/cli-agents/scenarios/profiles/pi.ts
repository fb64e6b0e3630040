import { piLive } from '../../../../src/agents/cli/adapters/pi/live/adapter.ts';
import { callTool } from '../../support/live-scene.ts';
import { piVersions } from '../../support/real-program.ts';
import type { Profile } from '../profile.ts';

export const bash = (command: string) => callTool('bash', { command });

/** Pi. */
export const pi: Profile = {
  agent: 'pi',
  versions: piVersions,
  live: piLive,
  shell: bash,
  tool: 'bash',
  write: path => callTool('write', { path, content: 'hi\n' }),
  planning: { turns: [callTool('ask_user', { question: 'Which colour?', options: ['Red', 'Blue'] }), 'Thanks.'] },
  without: { plan: 'the program has no plans', subagent: 'the program has no subagents' },
};
