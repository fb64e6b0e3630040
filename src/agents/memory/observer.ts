import type { Agent } from '../contract/agent.ts';
import type { InputSpan } from '../../projections/model-input/input-span.ts';
import { countTokens } from '../model/tokens/tokens.ts';
import type { AskModel } from './beside-agent.ts';
import { condensingAgent, type CondensingAgentOptions, type SummaryContent } from './condensing-agent.ts';
import { observerInstructions, observerPrompt } from './prompts.ts';
import { cutIntoBatches, renderSpans } from './render-messages.ts';
import { defined } from '../../base/defined.ts';

interface ObserverOptions
  extends Pick<CondensingAgentOptions, 'model' | 'covers' | 'registry' | 'retry' | 'timeoutMs'> {
  readonly spans: readonly Pick<InputSpan, 'messages' | 'ts'>[];
  /** The tokens of the spans. */
  readonly tokens: number;
  /** The observations so far, which are not repeated. */
  readonly previous: string;
  readonly background: boolean;
  /** The tokens of messages that one model call receives. */
  readonly batchTokens: number;
  readonly instructions: string | undefined;
  readonly now: () => Date;
}

/** Creates an agent that turns messages into observations. */
export function observerAgent(options: ObserverOptions): Agent {
  const { background, tokens, instructions, ...others } = options;
  return condensingAgent({
    ...others,
    id: 'observer',
    instructions: [observerInstructions, ...(instructions === undefined ? [] : [instructions])].join('\n\n'),
    start: { operation: 'observation', background, tokens },
    work: ask => observe(options, ask),
  });
}

async function observe(options: ObserverOptions, ask: AskModel): Promise<SummaryContent> {
  const { spans, previous, batchTokens, now, tokens: coveredTokens } = options;
  const observed: Observed[] = [];
  for (const batch of await cutIntoBatches(renderSpans(spans), batchTokens)) {
    const known = [previous, ...observed.map(({ text }) => text)].filter(text => text !== '').join('\n');
    const prompt = observerPrompt(batch, { previous: known, now: now().toISOString() });
    const next = parseObservations(await ask(prompt));
    if (next === undefined) throw new Error('The observer returned no observations.');
    observed.push(next);
  }
  const text = observed.map(part => part.text).join('\n');
  const tokens = await countTokens([{ role: 'user', content: text }]);
  if (tokens > Math.max(coveredTokens, shortest))
    throw new Error(`The observer returned ${tokens} tokens of observations for ${coveredTokens} tokens of messages.`);
  const { text: _, ...next } = observed.at(-1) ?? { text };
  const coveredMessages = spans.reduce((sum, { messages }) => sum + messages.length, 0);
  return { ...next, text, tokens, coveredTokens, coveredMessages };
}

/** Observations of up to this many tokens may be longer than what they were made from. */
const shortest = 1_000;

/** The parsed output of an observer or a reflector. */
interface Observed {
  readonly text: string;
  readonly currentTask?: string;
  readonly suggestedResponse?: string;
}

/** Reads the answer of an observer or a reflector; undefined when it has no observations. */
export function parseObservations(answer: string): Observed | undefined {
  const text = readSection(answer, 'observations');
  if (text === undefined) return undefined;
  const currentTask = readSection(answer, 'current-task');
  const suggestedResponse = readSection(answer, 'suggested-response');
  return {
    text,
    ...defined({ currentTask, suggestedResponse }),
  };
}

/** The content of a section; one that is not closed ends with the answer, or before the next section. */
function readSection(answer: string, name: string): string | undefined {
  const begin = answer.indexOf(`<${name}>`);
  if (begin < 0) return undefined;
  const rest = answer.slice(begin + name.length + 2);
  const end = rest.search(/<\/?(?:observations|current-task|suggested-response)>/);
  const content = (end < 0 ? rest : rest.slice(0, end)).trim();
  return content === '' ? undefined : content;
}
