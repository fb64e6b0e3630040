import { optionsCheck } from '../../../../base/options/check-options.ts';
import { name } from '../../../../base/options/option-fields.ts';
import type { CallableAgent } from '../../../contract/agent.ts';
import { externalAgent } from '../../agent/cli-agent.ts';
import { type CliAgentOptions, commonCliFields, textsField } from '../../agent/cli-agent-options.ts';
import { acpLive, acpOnlyAdapter } from '../../channels/acp/acp-adapter.ts';
import { acpProfile } from '../../channels/acp/profile.ts';
import type { CliAdapter } from '../../contract/cli-adapter.ts';
import { toRecord, toText } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

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

const checkOptions = optionsCheck<AcpAgentOptions>('acpAgent')(() => ({
  command: name(),
  args: textsField().optional(),
  id: name().optional(),
  ...commonCliFields(),
}));

/** Creates an agent for any Agent Client Protocol program. Throws `invalid_argument` for invalid options. */
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
  const profile = acpProfile({
    name: title,
    modes: defined({ ask: mode }),
    calls: {
      // A title is free text of the program: as a name it could match the rule for a tool by accident.
      inputOf: ({ kind = 'other', title: called, rawInput }) => ({
        ...(kind === 'other' && called !== undefined && { title: called }),
        ...toRecord(rawInput),
      }),
      reasonOf: (_, input) => toText(input['description']),
    },
  });
  const live = acpLive(profile, {
    ...(mode === undefined && {
      warning: `Whether ${title} asks before it acts is not known: only what it asks about can be decided here.`,
    }),
    command: ({ extraArgs = [] }) => ({ args: [...args, ...extraArgs] }),
  });
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
    profile,
    live,
  );
}
