import type { EventOf } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';
import type { Agent, MemoryJob } from '../contract/agent.ts';
import { type AskModel, besideAgent, type BesideAgentOptions } from './beside-agent.ts';
import type { SummaryEvent } from '../contract/memory.ts';

/** The content of a summary. */
export type SummaryContent = Pick<
  SummaryEvent,
  'text' | 'currentTask' | 'suggestedResponse' | 'tokens' | 'coveredTokens' | 'coveredMessages'
>;

type Start = NonNullable<EventOf<'harness_start'>['memory']>;

export interface CondensingAgentOptions extends Omit<BesideAgentOptions, 'work' | 'id' | 'start'> {
  readonly id: 'observer' | 'reflector';
  readonly start: Start & { readonly operation: MemoryJob['kind'] };
  readonly covers: SummaryEvent['covers'];
  /** Creates the summary. An error that it throws ends the run with an `error` event. */
  readonly work: (ask: AskModel) => Promise<SummaryContent>;
}

/** Creates an agent that makes one buffered summary with a few model calls. */
export function condensingAgent({ covers, work, ...options }: CondensingAgentOptions): Agent {
  const kind = options.start.operation;
  return besideAgent({
    ...options,
    work: async (ask, runId) => {
      const content = await work(ask);
      return { type: 'summary', runId, id: newId(), covers, kind, active: false, ...content };
    },
  });
}
