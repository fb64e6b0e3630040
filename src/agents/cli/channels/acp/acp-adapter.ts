import type { CliAdapter } from '../../contract/cli-adapter.ts';
import type { LiveAbilities, LiveAdapter } from '../../contract/live-channel.ts';
import { acpTranslator } from './acp-translator.ts';
import { AcpChannel } from './channel.ts';
import type { AcpProfile } from './profile.ts';

/** The usual abilities of programs that use the protocol. */
const usualAbilities: LiveAbilities = {
  reason: 'next_prompt',
  rejectEndsTurn: true,
  revise: 'none',
  questions: true,
  plans: false,
  steer: 'queued',
  resume: true,
  fork: false,
  subagents: 'none',
  parallelRequests: true,
  images: true,
  files: true,
  usage: true,
  cost: false,
  switchModel: true,
  switchMode: false,
  mcpServers: true,
};

interface AcpProgram extends Pick<LiveAdapter, 'modes' | 'warning' | 'command' | 'prepare'> {
  /** The abilities that differ from the usual ones. */
  readonly abilities?: Partial<LiveAbilities>;
}

/** Returns the interactive channel of a program that speaks the Agent Client Protocol. */
export function acpLive(profile: AcpProfile, { abilities, ...program }: AcpProgram): LiveAdapter {
  return {
    protocol: 'ACP',
    transport: 'stdio',
    abilities: { ...usualAbilities, ...abilities },
    ...program,
    channel: (host, start) => new AcpChannel(profile, host, start),
  };
}

type Description = Omit<CliAdapter, 'live' | 'isLiveOnly' | 'command' | 'translator'>;

/** Returns the adapter of a program that is used only over the Agent Client Protocol. */
export function acpOnlyAdapter(about: Description, profile: AcpProfile, live: LiveAdapter): CliAdapter {
  return {
    ...about,
    live,
    isLiveOnly: true,
    // The prompt is a message of the protocol.
    command: ({ model, sessionId, yolo, extraArgs }) =>
      live.command({ cwd: '.', environment: {}, folder: 'SESSION', model, sessionId, yolo, extraArgs }),
    translator: options => acpTranslator(profile, options),
  };
}
