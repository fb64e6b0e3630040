import { defined } from '../../../../../base/defined.ts';
import type { SessionMcpServers } from '../../../../contract/host.ts';
import type { LiveCommand, LiveStart } from '../../../contract/live-channel.ts';
import { askPolicy, mergedSettings, type PermissionSettings } from './ask-policy.ts';

/** The differences between OpenCode and Kilo Code. */
export interface ServeProgram {
  /** Its name in messages. */
  readonly name: string;
  /** The beginning of its environment variables. */
  readonly prefix: string;
  /** Permission settings in addition to the common ones. */
  readonly permission: PermissionSettings;
  /** Permission settings of its built-in agents, which the common ones would widen. */
  readonly agents: Readonly<Record<string, PermissionSettings>>;
}

/**
 * The arguments and variables of a server of one session, on a free port of the loopback interface. The user's own
 * settings stay as they are: ours are variables that apply to this process only.
 */
export function serveCommand(program: ServeProgram, start: LiveStart): LiveCommand {
  const { yolo, extraArgs = [], environment, mcpServers } = start;
  const content = `${program.prefix}_CONFIG_CONTENT`;
  const settings = {
    ...(yolo !== true && policySettings(program)),
    ...(mcpServers && { mcp: listServers(mcpServers) }),
  };
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
    env: {
      ...planVariables(program),
      // Applies after every file, also those of an organisation.
      ...(yolo !== true && { [`${program.prefix}_PERMISSION`]: JSON.stringify(permissionSettings(program)) }),
      ...(Object.keys(settings).length > 0 && { [content]: mergedSettings(environment[content], settings) }),
    },
  };
}

/** Offers the tool that ends planning with a question to the user. */
function planVariables({ prefix }: ServeProgram): Record<string, string> {
  return { [`${prefix}_EXPERIMENTAL_PLAN_MODE`]: '1' };
}

function permissionSettings({ permission }: ServeProgram): PermissionSettings {
  return { ...askPolicy, ...permission };
}

function policySettings(program: ServeProgram): object {
  const agents = Object.entries(program.agents).map(([name, permission]) => [name, { permission }] as const);
  // A rejection would end the turn, and a second open request with it.
  const experimental = { continue_loop_on_deny: true };
  return { permission: permissionSettings(program), experimental, agent: Object.fromEntries(agents) };
}

/** MCP servers in the words of its configuration. */
function listServers(servers: SessionMcpServers): object {
  const listed = Object.entries(servers).map(([name, server]) => {
    if ('url' in server) {
      const { url, headers } = server;
      return [name, { type: 'remote', url, ...defined({ headers }), enabled: true }] as const;
    }
    const { command, args = [], env: environment } = server;
    return [name, { type: 'local', command: [command, ...args], ...defined({ environment }), enabled: true }] as const;
  });
  return Object.fromEntries(listed);
}
