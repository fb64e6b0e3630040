import { conversation, type ConversationEvent } from './conversation.ts';
import { nodeOf } from './peers/node-of.ts';

/** An event and the id of the node that it makes or changes; undefined when there is none. */
export interface Step {
  readonly event: ConversationEvent;
  readonly nodeId: string | undefined;
}

/** The first steps of the conversation. */
export function steps(count: number): Step[] {
  const usages = new Map<string, number>();
  return conversation(count).map(event => {
    const usage = (usages.get(event.runId) ?? 0) + 1;
    if (event.type === 'usage') usages.set(event.runId, usage);
    return { event, nodeId: nodeOf(event, usage)?.id };
  });
}
