import { useState } from 'react';
import type { ThreadSnapshot } from '../../../src/client/thread-store.ts';
import type { ViewPart } from '../../../src/projections/reading/view-node.ts';
import type { MessageBody } from '../../../src/protocols/http-api.ts';
import { messageText } from './message-words.ts';

interface Queued {
  readonly key: number;
  readonly text: string;
  /** The newest event at the time of sending. */
  readonly after: number;
}

/** Returns the messages that a run will add at its next step, until the log contains them or the run has ended. */
export function useQueued({ seq, newestList, running }: Pick<ThreadSnapshot, 'seq' | 'newestList' | 'running'>) {
  const [sent, setSent] = useState<readonly Queued[]>([]);
  const waits = ({ after, text }: Queued) => {
    const isIt = (part: ViewPart) =>
      part.kind === 'user' && (part.seq ?? 0) > after && messageText(part) === text ? part : undefined;
    const isIn = (messageId: string) =>
      newestList.findLast(node => (node.id === messageId ? node : undefined))?.partList.findLast(isIt) !== undefined;
    return running.some(run => !isIn(run.messageId));
  };
  const enqueue = (message: MessageBody) => {
    const queued = { key: sent.length, text: messageText(message), after: seq };
    setSent(before => [...before, queued]);
  };
  return { queued: sent.filter(waits), enqueue };
}
