import type { AgentMode } from '../../../../agent.ts';
import type { LiveAbilities, LiveAdapter } from '../../../contract/live-channel.ts';
import { serveDifferences, serveRecords } from './records.ts';
import { ServeChannel } from './serve-channel.ts';
import { serveCommand, type ServeProgram } from './serve-command.ts';

const abilities: LiveAbilities = {
  reason: 'answer',
  rejectEndsTurn: false,
  revise: 'none',
  questions: true,
  plans: true,
  steer: 'joins',
  resume: true,
  fork: true,
  subagents: 'asked',
  parallelRequests: true,
  images: true,
  files: true,
  usage: true,
  cost: true,
  switchModel: true,
  switchMode: true,
  mcpServers: true,
};

interface ServeAdapterOptions extends ServeProgram {
  /** The user of its server. */
  readonly user: string;
  /** Its own agents that a person can choose, the normal one first. */
  readonly modes: readonly AgentMode[];
  readonly notes: readonly string[];
}

/** The interactive channel of OpenCode, or of Kilo Code, which is made from it. */
export function serveAdapter({ user, modes, notes, ...program }: ServeAdapterOptions): LiveAdapter {
  return {
    protocol: 'serve',
    transport: 'serve',
    serve: { user, passwordVariable: `${program.prefix}_SERVER_PASSWORD` },
    abilities,
    modes,
    notes: [...commonNotes, ...notes],
    records: serveRecords,
    differences: serveDifferences,
    command: start => serveCommand(program, start),
    channel: (host, start) => new ServeChannel(program, host, start),
  };
}

const commonNotes: readonly string[] = [
  'Everything is asked about by settings for this process only; the rules that result are read back from the server before the first prompt. Reading, searching and listing inside the folder run unasked, and so does the start of a subagent, whose own calls are asked about.',
  'The input of a call cannot be revised.',
  'Approvals are answered as "once": nothing is remembered by the program.',
  'A rejection waits until the other open requests of its session have an answer: the program would reject those with it.',
  'A request stays listed by the server after an interrupt; nobody answers it any more.',
];
