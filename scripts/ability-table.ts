import type { CliAdapter } from 'singletree/agents';

type Abilities = NonNullable<CliAdapter['live']>['abilities'];

const yes = (value: boolean | undefined) => (value === true ? 'yes' : 'no');

/** What is said about an agent's live channel, in order. */
export const abilityRows: readonly { readonly title: string; readonly show: (abilities: Abilities) => string }[] = [
  { title: 'approve, reject, always', show: () => 'yes' },
  { title: 'the reason of a rejection reaches the model', show: ({ reason }) => reasons[reason] },
  { title: 'after a rejection the turn goes on', show: ({ rejectEndsTurn }) => yes(!rejectEndsTurn) },
  { title: 'revise the input', show: ({ revise }) => yes(revise === 'all') },
  { title: 'questions', show: ({ questions }) => yes(questions) },
  { title: 'plans', show: ({ plans }) => yes(plans) },
  { title: 'a message during a turn', show: ({ steer }) => (steer === 'joins' ? 'joins it' : 'waits for its end') },
  { title: 'resume in a new process', show: ({ resume }) => yes(resume) },
  { title: 'fork', show: ({ fork }) => yes(fork) },
  { title: 'calls of subagents', show: ({ subagents }) => subagentTexts[subagents] },
  { title: 'several requests at once', show: ({ parallelRequests }) => yes(parallelRequests) },
  { title: 'images', show: ({ images }) => yes(images) },
  { title: 'files', show: ({ files }) => yes(files) },
  { title: 'usage', show: ({ usage }) => yes(usage) },
  { title: 'cost', show: ({ cost }) => yes(cost) },
  { title: 'switch the model', show: ({ switchModel }) => yes(switchModel) },
  { title: 'switch the mode', show: ({ switchMode }) => yes(switchMode) },
];

const reasons: Record<Abilities['reason'], string> = {
  answer: 'with the answer',
  steer: 'as a message in the turn',
  next_prompt: 'as the next prompt',
};

const subagentTexts: Record<Abilities['subagents'], string> = {
  asked: 'asked about',
  denied: 'denied by the program',
  off: 'switched off, because they would run unasked',
  none: 'none',
};

/** The page that compares the live channels of all external agents, in Markdown. */
export function abilityPage(adapters: readonly CliAdapter[]): string {
  const live = adapters.flatMap(({ name, live: channel }) => (channel === undefined ? [] : [{ name, channel }]));
  const printOnly = adapters.filter(({ live: channel }) => channel === undefined).map(({ name }) => name);
  return `${[
    '# External agents',
    '',
    'Written by `npm run docs` from `src/agents/cli/adapters`. What a person can do with each agent over its live channel;',
    'what is not possible, and why, is on the page of the agent.',
    '',
    `| | ${live.map(({ name }) => name).join(' | ')} |`,
    `|---|${live.map(() => '---|').join('')}`,
    ...abilityRows.map(
      ({ title, show }) => `| ${title} | ${live.map(({ channel }) => show(channel.abilities)).join(' | ')} |`,
    ),
    '',
    ...(printOnly.length === 0 ? [] : [`In print mode only, where nobody can be asked: ${printOnly.join(', ')}.`, '']),
    'Permission rules decide before a person is asked. "Always" is remembered by Singletree for the thread, and never written',
    'into the settings of a program.',
  ].join('\n')}\n`;
}
