import type { Agent } from '../contract/agent.ts';
import { countTokens } from '../model/tokens/tokens.ts';
import type { AskModel } from './beside-agent.ts';
import { condensingAgent, type CondensingAgentOptions, type SummaryContent } from './condensing-agent.ts';
import type { SummaryEvent } from '../contract/memory.ts';
import { parseObservations } from './parse-observations.ts';
import { compressionLevels, reflectorInstructions, reflectorPrompt } from './prompts.ts';
import { defined } from '../../base/defined.ts';

export interface ReflectorOptions
  extends Pick<CondensingAgentOptions, 'model' | 'covers' | 'registry' | 'retry' | 'timeoutMs'> {
  /** The observations to condense, oldest first. */
  readonly observations: readonly Pick<
    SummaryEvent,
    'text' | 'currentTask' | 'suggestedResponse' | 'coveredTokens' | 'coveredMessages'
  >[];
  /** Their tokens. */
  readonly tokens: number;
  readonly background: boolean;
  readonly instructions: string | undefined;
}

/** Creates an agent that rewrites observations, shorter. */
export function reflectorAgent(options: ReflectorOptions): Agent {
  const { background, tokens, instructions, ...others } = options;
  return condensingAgent({
    ...others,
    id: 'reflector',
    instructions: [reflectorInstructions, ...(instructions === undefined ? [] : [instructions])].join('\n\n'),
    start: { operation: 'reflection', background, tokens },
    work: ask => reflect(options, ask),
  });
}

/** Asks again, more strongly, while the result is not shorter. */
async function reflect({ observations, tokens: before }: ReflectorOptions, ask: AskModel): Promise<SummaryContent> {
  const all = observations.map(({ text }) => text).join('\n');
  const last = observations.at(-1);
  const coveredTokens = observations.reduce((sum, part) => sum + (part.coveredTokens ?? 0), 0);
  const coveredMessages = observations.reduce((sum, part) => sum + (part.coveredMessages ?? 0), 0);
  for (const level of compressionLevels) {
    const reflected = parseObservations(await ask(reflectorPrompt(all, level)));
    if (reflected === undefined) throw new Error('The reflector returned no observations.');
    const tokens = await countTokens([{ role: 'user', content: reflected.text }]);
    if (tokens >= before) continue;
    return {
      ...defined({ currentTask: last?.currentTask, suggestedResponse: last?.suggestedResponse }),
      ...reflected,
      tokens,
      coveredTokens,
      coveredMessages,
    };
  }
  throw new Error(`The reflector could not make the observations shorter than ${before} tokens.`);
}
