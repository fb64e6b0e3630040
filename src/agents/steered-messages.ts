import { defined } from '../base/defined.ts';
import type { EventOf } from '../events/vocabulary.ts';
import type { InvokeParams } from './contract/agent.ts';

/** Takes the messages that users sent to a run since the last call, as events of the run. */
export function steeredMessages({ run: { runId }, host: { steering } }: Pick<InvokeParams, 'run' | 'host'>) {
  return (steering?.take() ?? []).map(({ id, content, by }): EventOf<'user'> => {
    const parts = typeof content === 'string' ? content : content.map(part => ({ ...part }));
    return { type: 'user', runId, id, content: parts, ...defined({ by }) };
  });
}
