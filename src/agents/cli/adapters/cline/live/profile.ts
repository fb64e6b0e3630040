import type { AcpProfile, CallFields } from '../../../channels/acp/profile.ts';
import { nestedSubagents } from '../../../channels/acp/nested-subagents.ts';
import { listOf, recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import { readToolOutput } from '../wire.ts';

/** What Cline does differently over the Agent Client Protocol; `model` is the one its settings name. */
export function clineProfile(model: string | undefined): AcpProfile {
  return {
    name: 'Cline',
    modes: { ask: 'act', unsafe: [] },
    askOptions: [{ id: 'auto_approve', ask: false, yolo: true }],
    model,
    switchModel: 'set_model',
    calls: {
      nameOf: ({ title }) => title?.split(': ')[0],
      commandOf: shellLine,
      outputOf: toolOutput,
    },
    refused: new Set(['spawn_agent', 'team_run_task', 'team_spawn_teammate']),
    subagents: context => nestedSubagents(context, { tool: 'spawn_agent' }),
    usageOf: () => undefined,
    reportsRejected: true,
    steer: 'none',
    canFork: false,
  };
}

/** The commands of a call, which run one after the other. */
function shellLine(input: WireRecord): string | undefined {
  const commands = listOf(input['commands']).map(item => textOf(item) ?? textOf(recordOf(item)?.['command']));
  if (commands.length === 0) return textOf(input['command']);
  return commands.every(command => command !== undefined) ? commands.join('\n') : undefined;
}

function toolOutput({ status, rawOutput }: CallFields, name: string) {
  // An error arrives as the text of a JSON object.
  const output = typeof rawOutput === 'string' ? (parsed(rawOutput) ?? rawOutput) : rawOutput;
  if (status === 'failed' && recordOf(output)?.['error'] === undefined)
    return { error: textOf(output) ?? 'The tool failed.' };
  // The output of a failed subagent is its message.
  if (recordOf(output)?.['finishReason'] === 'error')
    return { error: textOf(recordOf(output)?.['text']) ?? 'The subagent failed.' };
  return readToolOutput({ output }, name);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
