import type {
  HistoryAnswer,
  HistoryArgument,
  HistoryMethod,
  HistoryReply,
  HistoryRequest,
  HistoryStatus,
} from './history-protocol.ts';

/** A thread that a worker reads, and answers questions about. */
export interface History {
  /** Rejects when the question cannot be answered. */
  ask<Method extends HistoryMethod>(method: Method, argument: HistoryArgument<Method>): Promise<HistoryAnswer<Method>>;
  readonly getStatus: () => HistoryStatus;
  /** Calls `listener` when more events were read. Returns an unsubscribe function. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** How long an unused history stays open, so that another view of the thread opens without a reload. */
const lingerMs = 20_000;

interface Opened {
  readonly history: History;
  readonly close: () => void;
  users: number;
  timer?: ReturnType<typeof setTimeout>;
}

const opened = new Map<string, Opened>();

/**
 * Opens the history of a thread, or returns the one that is already open. Each call must be paired with
 * `releaseHistory`.
 */
export function openHistory(threadId: string): History {
  const known = opened.get(threadId) ?? start(threadId);
  clearTimeout(known.timer);
  known.users++;
  opened.set(threadId, known);
  return known.history;
}

/** Releases the history of a thread; it is closed after `lingerMs` unless it is opened again. */
export function releaseHistory(threadId: string): void {
  const known = opened.get(threadId);
  if (known === undefined || --known.users > 0) return;
  known.timer = setTimeout(() => {
    opened.delete(threadId);
    known.close();
  }, lingerMs);
}

function start(threadId: string): Opened {
  const worker = new Worker(new URL('./history-worker.ts', import.meta.url), { type: 'module' });
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  const listeners = new Set<() => void>();
  let status: HistoryStatus = { seq: 0, isComplete: false, isConnected: false };
  let asked = 0;
  const show = (next: HistoryStatus) => {
    status = next;
    for (const listener of listeners) listener();
  };
  // oxlint-disable-next-line require-post-message-target-origin -- a worker has no origin
  const send = (request: HistoryRequest) => worker.postMessage(request);
  worker.addEventListener('message', ({ data }: MessageEvent<HistoryReply>) => {
    if ('status' in data) return show(data.status);
    const question = waiting.get(data.id);
    waiting.delete(data.id);
    if ('problem' in data) question?.reject(new Error(data.problem));
    else question?.resolve(data.value as never);
  });
  worker.addEventListener('error', () => show({ ...status, problem: 'The view could not be started.' }));
  send({ threadId });
  const history: History = {
    ask: (method, argument) =>
      new Promise((resolve, reject) => {
        const id = ++asked;
        waiting.set(id, { resolve, reject });
        send({ id, method, argument });
      }),
    getStatus: () => status,
    subscribe: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return { history, close: () => worker.terminate(), users: 0 };
}
