import { acpLive } from '../../channels/acp/acp-adapter.ts';
import { nestedSubagents } from '../../channels/acp/nested-subagents.ts';
import { acpProfile, type CallFields } from '../../channels/acp/profile.ts';
import { toList, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { clineProvider } from './providers-file.ts';
import { readToolOutput } from './wire.ts';
import { parseJson } from '../../../../base/parse-json.ts';

/** The Agent Client Protocol profile of Cline: how it differs from the defaults. */
export const clineProfile = acpProfile({
  name: 'Cline',
  modes: { ask: 'act' },
  askOptions: [{ id: 'auto_approve', ask: false, yolo: true }],
  model: environment => clineProvider(environment).model,
  switchModel: 'set_model',
  calls: {
    nameOf: ({ title }) => title?.split(': ')[0],
    commandOf: shellLine,
    outputOf: toolOutput,
  },
  refused: new Set(['spawn_agent', 'team_run_task', 'team_spawn_teammate']),
  subagents: context => nestedSubagents(context, { tool: 'spawn_agent' }),
  usageOf: () => undefined,
});

/** Cline over the Agent Client Protocol. */
export const clineLive = acpLive(clineProfile, {
  abilities: {
    rejectEndsTurn: false,
    questions: false,
    subagents: 'off',
    parallelRequests: false,
    images: false,
    files: false,
    usage: false,
    switchMode: true,
  },
  command: ({ yolo, environment, extraArgs = [] }) => {
    const { provider, apiKey } = clineProvider(environment);
    return {
      args: ['--acp', '--auto-approve', yolo === true ? 'true' : 'false', ...extraArgs],
      env: {
        // Otherwise it would run in a shared process that outlives the session, and update itself.
        CLINE_SESSION_BACKEND_MODE: 'local',
        CLINE_NO_AUTO_UPDATE: '1',
        // Without both it only accepts its own accounts.
        ...(provider !== undefined && {
          CLINE_PROVIDER: provider,
          CLINE_API_KEY: environment['CLINE_API_KEY'] ?? apiKey ?? 'configured',
        }),
      },
    };
  },
});

/** The commands of a call, which run one after the other. */
function shellLine(input: WireRecord): string | undefined {
  const commands = toList(input['commands']).map(item => toText(item) ?? toText(toRecord(item)?.['command']));
  if (commands.length === 0) return toText(input['command']);
  return commands.every(command => command !== undefined) ? commands.join('\n') : undefined;
}

function toolOutput({ status, rawOutput }: CallFields, name: string) {
  // An error arrives as the text of a JSON object.
  const output = typeof rawOutput === 'string' ? (parseJson(rawOutput) ?? rawOutput) : rawOutput;
  if (status === 'failed' && toRecord(output)?.['error'] === undefined)
    return { error: toText(output) ?? 'The tool failed.' };
  // The output of a failed subagent is its message.
  if (toRecord(output)?.['finishReason'] === 'error')
    return { error: toText(toRecord(output)?.['text']) ?? 'The subagent failed.' };
  return readToolOutput({ output }, name);
}
