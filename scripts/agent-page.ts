import type { CliAdapter } from 'singletree/agents';
import { toolTables } from 'singletree/projections';
import { type AgentRecords, readAgentRecords } from './agent-records.ts';
import { channelSection } from './channel-section.ts';

type CommandRequest = Parameters<CliAdapter['command']>[0];

const shells = {
  fresh: 'Relative paths of commands are in the folder the agent works in.',
  persistent: 'Relative paths of commands are in the folder the agent works in, until a command leaves it.',
  unknown: 'Relative paths of commands are as written: the agent does not report the folder of a command.',
} as const;

/** The page of one external agent in the documentation, in Markdown. */
export function agentPage(adapter: CliAdapter): string {
  const { id, name, install, login, versions } = adapter;
  const records = readAgentRecords(id);
  const table = toolTables[id];
  const tools = Object.entries(table?.rules ?? {}).map(([tool, rule]) => `| \`${tool}\` | ${rule.activity} |`);
  const unknownRecord =
    table?.isNamedOnlyByCall?.('any') === true
      ? 'An unknown tool is shown by the record of its call.'
      : 'An unknown tool is shown by the record of its result.';
  const recorded =
    versions.length === 0
      ? 'No stream of it was recorded: what its records become follows its documentation.'
      : `Its streams were recorded with ${versions.join(' and ')}.`;
  return `${[
    `# ${name}`,
    '',
    `Written by \`npm run docs\` from \`src/agents/cli/adapters/${id}\`, \`test/cli-agents/records/${id}.json\` and \`src/projections/activity/tables/${id}.ts\`.`,
    '',
    `Install it with \`${install}\`. To log in, ${login}. ${recorded}`,
    '',
    ...channelSection(adapter, records),
    ...(adapter.isLiveOnly === true ? [] : printSection(adapter, records.print)),
    '## Its tools',
    '',
    '| tool | activity |',
    '|---|---|',
    ...tools,
    '| any other | `unknown` |',
    '',
    `${shells[table?.shell ?? 'unknown']} An operation is emitted with the result of its call; one without a result at the end of the run, without success. ${unknownRecord}`,
  ].join('\n')}\n`;
}

function printSection(adapter: CliAdapter, records: AgentRecords['print']): string[] {
  return [
    '## Print mode',
    '',
    '```',
    commandLine(adapter, { prompt: 'PROMPT' }),
    commandLine(adapter, { prompt: 'PROMPT', model: 'MODEL', sessionId: 'SESSION', yolo: true }),
    '```',
    '',
    'The second line is with `--model MODEL --yolo` on a thread in which it has a session. A prompt that cannot be an',
    'argument, because it is too long or would be taken for something else, is passed by standard input.',
    '',
    '| record | becomes |',
    '|---|---|',
    ...Object.entries(records).map(([record, becomes]) => `| ${record} | ${becomes} |`),
    '| anything else | `unknown` |',
    '',
    'Lines on standard error become `warning`. A line that is not JSON becomes `unknown`, unless it is in the table. A failure',
    'is reported when its record arrives, and again as the fatal `error` at the end of a run that ends by it.',
    '',
  ];
}

/** What a person would type to do the same. */
function commandLine(adapter: CliAdapter, request: CommandRequest): string {
  const { args, env = {} } = adapter.command(request);
  return [...Object.entries(env).map(([name, value]) => `${name}=${value}`), adapter.executable, ...args].join(' ');
}
