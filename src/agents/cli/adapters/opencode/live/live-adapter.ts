import type { AgentMode } from '../../../../contract/abilities.ts';
import type { LiveAbilities, LiveAdapter } from '../../../contract/live-channel.ts';
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
  /** The agents of the program that a user can choose, the normal one first. */
  readonly modes: readonly AgentMode[];
}

/** Returns the interactive channel of OpenCode, or of its fork Kilo Code. */
export function serveAdapter({ user, modes, ...program }: ServeAdapterOptions): LiveAdapter {
  return {
    protocol: 'serve',
    transport: 'serve',
    serve: { user, passwordVariable: `${program.prefix}_SERVER_PASSWORD` },
    abilities,
    modes,
    command: start => serveCommand(program, start),
    channel: (host, start) => new ServeChannel(program, host, start),
  };
}
