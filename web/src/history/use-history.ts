import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { HistoryAnswer, HistoryArgument, HistoryMethod, HistoryStatus } from './history-protocol.ts';
import { type History, openHistory, releaseHistory } from './open-history.ts';

const nothing: HistoryStatus = { seq: 0, isComplete: false, isConnected: false };
const never: History['subscribe'] = () => () => {};

/** The history of a thread, undefined until it is opened, and how far it is read. */
export function useHistory(threadId: string): { history: History | undefined; status: HistoryStatus } {
  const [history, setHistory] = useState<History>();
  useEffect(() => {
    setHistory(openHistory(threadId));
    return () => releaseHistory(threadId);
  }, [threadId]);
  const status = useSyncExternalStore(history?.subscribe ?? never, () => history?.getStatus() ?? nothing);
  return { history, status };
}

/**
 * The answer to a question about a thread, asked again when it changes or when more of the thread is read. The last
 * answer stays until the next one has arrived; a question that was overtaken by another one is dropped.
 */
export function useAnswer<Method extends HistoryMethod>(
  { history, status }: ReturnType<typeof useHistory>,
  method: Method,
  argument: HistoryArgument<Method> | undefined,
): HistoryAnswer<Method> | undefined {
  const [answer, setAnswer] = useState<HistoryAnswer<Method>>();
  const isBusy = useRef(false);
  const next = useRef<() => void>(undefined);
  const isGone = useRef(false);
  const key = JSON.stringify(argument);

  useEffect(() => {
    if (history === undefined || argument === undefined) return;
    const ask = () => {
      isBusy.current = true;
      next.current = undefined;
      history
        .ask(method, argument)
        .then(
          value => !isGone.current && setAnswer(value),
          () => {},
        )
        .finally(() => {
          isBusy.current = false;
          next.current?.();
        });
    };
    if (isBusy.current) next.current = ask;
    else ask();
    // `key` stands for the argument.
  }, [history, method, key, status.seq]);

  useEffect(() => {
    isGone.current = false;
    return () => void (isGone.current = true);
  }, []);
  return answer;
}
