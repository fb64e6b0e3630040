import { useState } from 'react';
import type { ThreadView } from '../../src/projections/thread-view-tree.ts';
import type { MessageBody } from '../../src/protocols/index.ts';
import { messageText } from './user-message.tsx';

interface Queued {
  readonly key: number;
  readonly text: string;
  /** The newest event when it was sent. */
  readonly after: number;
}

/** Messages that a run will take in at its next step: they are shown until the log has them, or the run ended. */
export function useQueued(view: ThreadView) {
  const [sent, setSent] = useState<readonly Queued[]>([]);
  const waits = ({ after, text }: Queued) =>
    view.running.some(
      run => !run.items.some(item => item.kind === 'user' && item.seq > after && messageText(item) === text),
    );
  const enqueue = (message: MessageBody) => {
    const queued = { key: sent.length, text: messageText(message), after: view.seq };
    setSent(before => [...before, queued]);
  };
  return { queued: sent.filter(waits), enqueue };
}
