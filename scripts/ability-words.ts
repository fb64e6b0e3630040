import type { CliAdapter } from 'singletree/agents';

type LiveAbilities = NonNullable<CliAdapter['live']>['abilities'];

const reasons: Readonly<Record<LiveAbilities['reason'], string>> = {
  answer: 'with the answer',
  steer: 'as a message during the turn',
  next_prompt: 'with the next prompt',
};

const subagents: Readonly<Record<LiveAbilities['subagents'], string>> = {
  asked: 'asked about',
  denied: 'denied by the program',
  off: 'switched off: they would run unasked',
  none: 'no subagents',
};

/** What an interactive channel can do, for people: the names of the abilities, each with its value for one program. */
export const abilityWords: Readonly<Record<string, (abilities: LiveAbilities) => string>> = {
  'approve and reject': () => 'yes',
  'the reason of a rejection reaches the model': ({ reason }) => reasons[reason],
  'after a rejection': ({ rejectEndsTurn }) => (rejectEndsTurn ? 'the turn ends' : 'the turn continues'),
  'revise the input of a call': ({ revise }) => yesNo(revise === 'all'),
  questions: ability => yesNo(ability.questions),
  plans: ability => yesNo(ability.plans),
  'a message during a turn': ({ steer }) => (steer === 'joins' ? 'joins it' : 'waits for its end'),
  'several requests at once': ({ parallelRequests }) => yesNo(parallelRequests),
  'calls of subagents': ability => subagents[ability.subagents],
  'resume in a new process': ({ resume }) => yesNo(resume),
  fork: ({ fork }) => yesNo(fork),
  'switch the model': ({ switchModel }) => yesNo(switchModel),
  'switch the mode': ({ switchMode }) => yesNo(switchMode),
  images: ({ images }) => yesNo(images),
  'other files': ({ files }) => yesNo(files === true),
  'MCP servers of an editor': ({ mcpServers }) => yesNo(mcpServers === true),
  'usage, costs': ({ usage, cost }) => `${yesNo(usage)}, ${yesNo(cost)}`,
};

function yesNo(has: boolean): string {
  return has ? 'yes' : 'no';
}
