import { exitCodeFor } from '../run/run-totals.ts';
import { printResult } from '../print.ts';
import { createClient } from '../../client/create-client.ts';
import type { Client } from '../../client/client.ts';
import { defined } from '../../base/defined.ts';
import { traceVariable } from '../../agents/process/process-marks.ts';
import { newId } from '../../events/ids.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { ownRunMarks, runHeader } from '../../control/conversations/inside-run.ts';
import { isLoopback } from '../../server/security/request-guard.ts';
import { singletreeHome } from '../settings/home.ts';
import { readMachineToken } from '../settings/machine-token.ts';
import { findIn, type ThreadIndex } from '../threads/find-thread.ts';
import { ThreadView } from '../../terminal/session/run-screen.ts';
import type { SendOptions } from './command.ts';
import { followAnswer } from './follow-answer.ts';

/** Sends a message to a thread of a server and prints the answer; returns the exit code. */
export async function sendToServer(named: string, content: string, options: SendOptions): Promise<number> {
  const { server = '', model, followUp = false, wait, json = false } = options;
  const token = options.token ?? (isLoopbackUrl(server) ? readMachineToken(singletreeHome()) : undefined);
  const client = createClient({ baseUrl: server.replace(/\/+$/, ''), fetch: markedFetch, ...defined({ token }) });
  const { id: threadId, seq } = await findIn(createThreadIndex(client), named);
  const id = newId();
  const delivery = followUp ? 'follow_up' : 'steer';
  const receipt = await client.sendMessage(threadId, { content, id, delivery, ...defined({ model }) });
  if (!wait) {
    await printResult(options, { threadId, messageId: id, ...receipt }, `sent to thread ${threadId}`);
    return 0;
  }
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const view = json ? undefined : await ThreadView.read(part => client.readWindow(threadId, part), seq);
  const events = client.watch(threadId, { after: seq, signal: stop.signal });
  // A server delivers a message that a run did not read: its run follows.
  const isActive = receipt.steered === true || receipt.queued === true;
  const sent = { messageId: id, ...(isActive && { activeRunId: receipt.runId }), isDeliveredLater: true };
  return exitCodeFor(await followAnswer(events, sent, view));
}

/** Adds the caller's trace and this process's runs to a request; a server refuses messages of runs to themselves. */
const markedFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  const marks = ownRunMarks();
  const traceparent = process.env[traceVariable];
  if (marks !== undefined) headers.set(runHeader, marks);
  if (traceparent !== undefined) headers.set('traceparent', traceparent);
  return fetch(input, { ...init, headers });
};

function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}

function createThreadIndex(client: Client): ThreadIndex<{ readonly id: string; readonly seq: number }> {
  return {
    newest: async () => (await client.listThreads({ limit: 1 }))[0],
    get: async id => {
      try {
        return await client.getThread(id);
      } catch (error) {
        if (SingletreeError.is(error, 'thread_not_found')) return undefined;
        throw error;
      }
    },
    async *all() {
      let cursor: string | undefined;
      do {
        const page = await client.searchThreads(defined({ cursor }));
        yield* page.threads;
        cursor = page.next;
      } while (cursor !== undefined);
    },
  };
}
