import type { CliAdapter } from 'singletree/agents';
import { abilityWords } from './ability-words.ts';
import { type AgentRecords, readAgentRecords } from './agent-records.ts';

/** The section about the interactive channel of an external agent in its page; empty when it has none. */
export function channelSection(adapter: CliAdapter, records: AgentRecords): string[] {
  const { live, executable } = adapter;
  if (live === undefined) return ['It has no interactive channel: nobody is asked, and print mode is always used.', ''];
  const { args } = live.command({ cwd: '.', folder: 'FOLDER', environment: {} });
  return [
    `## Its interactive channel: ${live.protocol}`,
    '',
    `Used whenever somebody can answer: \`${[executable, ...args.map(shortened)].join(' ')}\`.`,
    '',
    '| ability | |',
    '|---|---|',
    ...Object.entries(abilityWords).map(([ability, word]) => `| ${ability} | ${word(live.abilities)} |`),
    '',
    ...(live.warning === undefined ? [] : [`**Warning before the first prompt:** ${live.warning}`, '']),
    ...records.notes.map(note => `- ${note}`),
    '',
    '| message | becomes |',
    '|---|---|',
    ...Object.entries(records.live).map(([record, becomes]) => `| ${record} | ${becomes} |`),
    '| anything else | `unknown` |',
    '',
    'A line that is not JSON becomes `unknown`, unless it is in the table.',
    '',
    ...(adapter.isLiveOnly === true ? [] : differences(records)),
  ];
}

/** Both channels give the same events: each difference is a row. */
function differences(records: AgentRecords): string[] {
  const rows = Object.entries(records.differences);
  if (rows.length === 0) return ['Its events are equal to those of print mode in the fields that both carry.', ''];
  return [
    'Its events are equal to those of print mode in the fields that both carry, but for:',
    '',
    '| event or field | difference |',
    '|---|---|',
    ...rows.map(([field, difference]) => `| ${field} | ${difference} |`),
    '',
  ];
}

/** Long settings are given in files or variables; an argument of more than a line is cut. */
function shortened(argument: string): string {
  return argument.length > 60 || argument.includes('\n') ? '…' : argument;
}

/** The page that compares all external agents, in Markdown. */
export function agentMatrix(adapters: readonly CliAdapter[]): string {
  const live = adapters.filter(adapter => adapter.live !== undefined);
  const row = (name: string, cell: (adapter: CliAdapter) => string) => `| ${[name, ...live.map(cell)].join(' | ')} |`;
  const differing = live.flatMap(({ id, isLiveOnly }) =>
    isLiveOnly === true
      ? []
      : Object.entries(readAgentRecords(id).differences).map(
          ([field, difference]) => `| ${id} | ${field} | ${difference} |`,
        ),
  );
  return `${[
    '# External agents',
    '',
    'Written by `npm run docs` from the adapters in `src/agents/cli/adapters` and `test/cli-agents/records`.',
    '',
    'Where somebody can answer, an agent runs over its interactive channel: its requests become relays, and our permission',
    'rules decide before a person is asked. "Always" is remembered by us, and answered as once. Without anybody, and with',
    '`--print`, print mode is used. What was tried with the real programs: [scenarios](scenarios.md), [hand over](hand-over.md).',
    '',
    '## What each can do',
    '',
    row('', ({ id }) => `[${id}](${id}.md)`),
    `|---${'|---'.repeat(live.length)}|`,
    row('protocol', adapter => adapter.live?.protocol ?? ''),
    ...Object.entries(abilityWords).map(([ability, word]) =>
      row(ability, adapter => (adapter.live === undefined ? '' : word(adapter.live.abilities))),
    ),
    '',
    ...without(adapters),
    '## Where the events of both channels differ',
    '',
    'Both channels give the same events, equal in the fields that both carry, but for these:',
    '',
    '| agent | event or field | difference of the interactive channel |',
    '|---|---|---|',
    ...differing,
  ].join('\n')}\n`;
}

function without(adapters: readonly CliAdapter[]): string[] {
  const names = adapters.filter(({ live }) => live === undefined).map(({ id, name }) => `[${name}](${id}.md)`);
  return names.length === 0 ? [] : [`Without an interactive channel: ${names.join(', ')}.`, ''];
}
