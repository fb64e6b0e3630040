import { useCallback, useEffect, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { QueuedBody, QueuedMessage } from '../../../src/protocols/http-api.ts';

/** How often the queue is read while it may change elsewhere, in milliseconds. */
const readEvery = 5_000;
/** How soon it is read after the log has grown, in milliseconds. */
const readAfter = 200;

/** The messages of a thread that wait until its run has ended; read again when a run begins or ends, and when the log has grown. */
export function useQueue(client: Client, threadId: string, isRunning: boolean, seq: number) {
  const [messages, setMessages] = useState<readonly QueuedMessage[]>([]);
  const read = useCallback(async () => {
    const found = await client.listQueue(threadId).catch(() => undefined);
    if (found !== undefined) setMessages(before => (before.length === 0 && found.length === 0 ? before : found));
  }, [client, threadId]);
  const isKnown = seq > 0;
  useEffect(() => {
    if (!isKnown) return undefined;
    void read();
    const timer = isRunning ? setInterval(() => void read(), readEvery) : undefined;
    return () => clearInterval(timer);
  }, [read, isRunning, isKnown]);
  const hasMessages = messages.length > 0;
  useEffect(() => {
    if (!hasMessages) return undefined;
    // What waited may be in the log now.
    const timer = setTimeout(() => void read(), readAfter);
    return () => clearTimeout(timer);
  }, [read, hasMessages, seq]);
  const then = (done: Promise<unknown>) => done.finally(() => void read());
  return {
    messages,
    read,
    change: (id: string, change: QueuedBody) => then(client.changeQueued(threadId, id, change)),
    remove: (id: string) => then(client.removeQueued(threadId, id)),
    sendNow: (id: string) => then(client.sendQueued(threadId, id)),
  };
}
