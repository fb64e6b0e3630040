import type { TitleRequest, Agent } from '../contract/agent.ts';
import { besideAgent } from '../memory/beside-agent.ts';
import type { ModelSource, ModelRegistry } from '../contract/model.ts';

interface TitleAgentOptions extends Omit<TitleRequest, 'model'> {
  readonly model: ModelSource;
  readonly registry: ModelRegistry | undefined;
}

const instructions = `You name conversations. Write a title of three to seven words for the conversation that you are shown: what the person wants, in the language they write. No quotes, no full stop, nothing but the title.`;

const timeoutMs = 60_000;
const mostMessage = 4_000;
const mostAnswer = 2_000;
const longestTitle = 80;

/** Creates an agent that writes the title of a conversation in one short model call. */
export function titleAgent({ model, registry, message, answer, onTitle }: TitleAgentOptions): Agent {
  return besideAgent({
    id: 'title',
    model,
    registry,
    instructions,
    start: { operation: 'title', background: true, tokens: 0 },
    retry: { maxRetries: 0 },
    timeoutMs,
    work: async ask => {
      const title = readTitle(await ask(titlePrompt(message, answer)));
      if (title === undefined) throw new Error('The model wrote no title.');
      onTitle(title);
      return undefined;
    },
  });
}

function titlePrompt(message: string, answer: string): string {
  const parts = [
    ['person', message, mostMessage],
    ['answer', answer, mostAnswer],
  ] as const;
  return parts.map(([name, text, most]) => `<${name}>\n${text.slice(0, most)}\n</${name}>`).join('\n');
}

/** Returns the first line of a model answer without quotes and marks as the title; undefined when it is empty. */
export function readTitle(text: string): string | undefined {
  const line = text.split('\n').find(each => each.trim() !== '') ?? '';
  const title = line
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^(#+|title:)\s*/i, '')
    .replace(/^["'“”„«*_`]+|["'“”»*_`.]+$/g, '')
    .trim();
  if (title === '') return undefined;
  if (title.length <= longestTitle) return title;
  return `${title
    .slice(0, longestTitle)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}
