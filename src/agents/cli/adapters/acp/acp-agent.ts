import { optionsCheck } from '../../../../events/options/check-options.ts';
import { name } from '../../../../events/options/option-fields.ts';
import type { CallableAgent } from '../../../agent.ts';
import { type CliAgentOptions, externalAgent } from '../../agent/cli-agent.ts';
import { commonCliFields, textsField } from '../../agent/cli-agent-fields.ts';
import { acpOnlyAdapter } from '../../channels/acp/acp-only-adapter.ts';
import { acpChannel } from '../../channels/acp/channel.ts';
import type { CliAdapter } from '../../contract/cli-adapter.ts';
import type { LiveAdapter } from '../../contract/live-channel.ts';
import { anyProfile } from './profile.ts';

/** A program that speaks the Agent Client Protocol over its standard input and output. */
export interface AcpAgentOptions extends Omit<CliAgentOptions, 'executable' | 'extraArgs' | 'channel' | 'mode'> {
  /** The program. */
  readonly command: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  /** The id of the agent. Default: `acp`. */
  readonly id?: string;
  /** The mode in which the program asks: set and verified before the first prompt. */
  readonly mode?: string;
}

const checkOptions = optionsCheck(
  'acpAgent',
  () =>
    ({
      command: name(),
      args: textsField().optional(),
      id: name().optional(),
      ...commonCliFields(),
    }) satisfies Record<keyof AcpAgentOptions, unknown>,
);

/** Creates an agent for any program that speaks the Agent Client Protocol. Throws `invalid_argument` for invalid options. */
export function acpAgent(options: AcpAgentOptions): CallableAgent {
  checkOptions(options);
  const { command, args = [], id, mode, ...rest } = options;
  return externalAgent(acpAdapter({ command, id, mode }), { ...rest, executable: command, extraArgs: args });
}

/** Returns the adapter of a program that speaks the Agent Client Protocol; `args` start it, before those of a run. */
export function acpAdapter(program: {
  readonly command: string;
  readonly args?: readonly string[];
  readonly id?: string | undefined;
  readonly title?: string;
  readonly mode?: string | undefined;
}): CliAdapter {
  const { command, args = [], id = 'acp', mode } = program;
  const { title = command.split('/').at(-1) ?? command } = program;
  const profile = anyProfile(title, mode);
  const live: LiveAdapter = {
    protocol: 'ACP',
    transport: 'stdio',
    abilities: {
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
    },
    ...(mode === undefined && {
      warning: `Whether ${title} asks before it acts is not known: only what it asks about can be decided here.`,
    }),
    command: ({ extraArgs = [] }) => ({ args: [...args, ...extraArgs] }),
    channel: (host, start) => acpChannel(profile, host, start),
  };
  return acpOnlyAdapter(
    {
      id,
      name: title,
      executable: command,
      install: `install ${title}`,
      credentials: { variables: [], files: [] },
      login: `log in to ${title} as its documentation says`,
      environment: [],
      versions: [],
    },
    live,
    profile,
  );
}
