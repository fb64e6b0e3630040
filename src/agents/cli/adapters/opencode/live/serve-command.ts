import type { LiveCommand, LiveStart } from '../../../contract/live-channel.ts';
import { askPolicy, mergedSettings, type PermissionSettings } from './ask-policy.ts';

/** What differs between OpenCode and Kilo Code. */
export interface ServeProgram {
  /** Its name in messages. */
  readonly name: string;
  /** The beginning of its environment variables. */
  readonly prefix: string;
  /** Permission settings in addition to the common ones. */
  readonly permission: PermissionSettings;
  /** Permission settings of its own agents, which the common ones would widen. */
  readonly agents: Readonly<Record<string, PermissionSettings>>;
}

/**
 * The arguments and variables of a server of one session, on a free port of the loopback interface. The person's own
 * settings stay as they are: ours are variables that apply to this process only.
 */
export function serveCommand(program: ServeProgram, { yolo, extraArgs = [], environment }: LiveStart): LiveCommand {
  return {
    args: [
      'serve',
      '--hostname',
      '127.0.0.1',
      // A free port; the server prints it.
      '--port',
      '0',
      ...extraArgs,
    ],
    env:
      yolo === true ? planVariables(program) : { ...planVariables(program), ...policyVariables(program, environment) },
  };
}

/** Offers the tool that ends planning with a question to the person. */
function planVariables({ prefix }: ServeProgram): Record<string, string> {
  return { [`${prefix}_EXPERIMENTAL_PLAN_MODE`]: '1' };
}

function policyVariables(
  { prefix, permission: more, agents }: ServeProgram,
  environment: Readonly<Record<string, string>>,
): Record<string, string> {
  const permission = { ...askPolicy, ...more };
  const agent = Object.fromEntries(Object.entries(agents).map(([name, settings]) => [name, { permission: settings }]));
  // A rejection would end the turn, and a second open request with it.
  const experimental = { continue_loop_on_deny: true };
  const content = `${prefix}_CONFIG_CONTENT`;
  return {
    // Applies after every file, also those of an organisation.
    [`${prefix}_PERMISSION`]: JSON.stringify(permission),
    [content]: mergedSettings(environment[content], { permission, experimental, agent }),
  };
}
