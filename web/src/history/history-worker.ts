import '../no-eval.ts';
import { createClient } from '../../../src/client/create-client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { HistoryReply, HistoryRequest, HistoryStatus } from './history-protocol.ts';
import { ThreadHistory } from './thread-history.ts';

/** The minimum interval between status messages to the page. */
const noticeMs = 100;

const history = new ThreadHistory();
let status: HistoryStatus = { seq: 0, isComplete: false, isConnected: false };
let timer: ReturnType<typeof setTimeout> | undefined;

const send = (reply: HistoryReply): void => postMessage(reply);
const change = (next: Partial<HistoryStatus>): void => {
  status = { ...status, ...next };
  timer ??= setTimeout(() => {
    timer = undefined;
    send({ status });
  }, noticeMs);
};

async function follow(threadId: string): Promise<void> {
  const client = createClient();
  try {
    const { seq: stored } = await client.getThread(threadId);
    if (stored === 0) change({ isComplete: true });
    const onConnection = (isConnected: boolean) => change({ isConnected });
    for await (const event of client.watch(threadId, { onConnection, waitForServer: true })) {
      history.add(event);
      change({ seq: event.seq, isComplete: event.seq >= stored });
    }
  } catch (error) {
    change({ problem: errorText(error) });
  }
}

function answer({ id, method, argument }: Extract<HistoryRequest, { id: number }>): void {
  try {
    send({ id, value: (history[method] as (argument: unknown) => unknown).call(history, argument) });
  } catch (error) {
    send({ id, problem: errorText(error) });
  }
}

addEventListener('message', ({ data }: MessageEvent<HistoryRequest>) => {
  if ('threadId' in data) void follow(data.threadId);
  else answer(data);
});
