import { defined } from '../../../src/base/defined.ts';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { RelayInfo, ThreadInfo } from '../../../src/protocols/http-api.ts';

/** The pending relays, or the reason that they could not be loaded. */
export interface Relays {
  readonly state: 'loading' | 'loaded' | 'failed';
  /** The relays that wait, oldest first. */
  readonly relays: readonly RelayInfo[];
  readonly problem?: string;
  /** Removes a relay that was just answered, before the server reports it. */
  readonly settle: (relayId: string) => void;
  /** Shows a relay again whose answer was refused. */
  readonly restore: (relayId: string) => void;
  /** Loads them again, as after a failure. */
  readonly reload: () => void;
}

/** Loads the relays of all threads once, then those of each thread in which another one begins to wait. */
export function useRelays(client: Client, threads: readonly ThreadInfo[], isLive: boolean): Relays {
  const [known, setKnown] = useState<ReadonlyMap<string, RelayInfo>>(new Map());
  const [settled, setSettled] = useState<ReadonlySet<string>>(new Set());
  const [{ state, problem }, setState] = useState<Pick<Relays, 'state' | 'problem'>>({ state: 'loading' });
  const losses = useLosses(isLive);
  const [attempt, setAttempt] = useState(0);
  /** The ids that were requested, so that none is requested twice. */
  const requested = useRef(new Set<string>());

  useEffect(() => {
    let isOver = false;
    requested.current.clear();
    client.listRelays().then(
      relays => {
        if (isOver) return;
        setKnown(new Map(relays.map(info => [info.id, info])));
        setState({ state: 'loaded' });
      },
      (error: unknown) => {
        if (!isOver) setState({ state: 'failed', problem: errorText(error) });
      },
    );
    return () => {
      isOver = true;
    };
  }, [client, losses, attempt]);

  useEffect(() => {
    if (state !== 'loaded') return;
    for (const { id: threadId, waiting = [] } of threads) {
      const fresh = waiting.filter(id => !known.has(id) && !requested.current.has(id));
      if (fresh.length === 0) continue;
      for (const id of fresh) requested.current.add(id);
      client.listRelays({ threadId }).then(
        relays => setKnown(before => new Map([...before, ...relays.map(info => [info.id, info] as const)])),
        () => fresh.forEach(id => requested.current.delete(id)),
      );
    }
  }, [client, known, state, threads]);

  const relays = useMemo(() => {
    const waiting = new Set(threads.flatMap(thread => thread.waiting ?? []));
    return [...known.values()]
      .filter(({ id }) => !settled.has(id) && (waiting.has(id) || !isLive))
      .toSorted((a, b) => (`${a.since ?? ''} ${a.id}` < `${b.since ?? ''} ${b.id}` ? -1 : 1));
  }, [isLive, known, settled, threads]);

  return {
    state,
    relays,
    ...defined({ problem }),
    settle: id => setSettled(before => new Set(before).add(id)),
    reload: () => {
      setState({ state: 'loading' });
      setAttempt(before => before + 1);
    },
    restore: id => setSettled(before => new Set([...before].filter(each => each !== id))),
  };
}

/** The number of lost connections; after each one the relays are loaded again. */
function useLosses(isLive: boolean): number {
  const [wasLive, setWasLive] = useState(isLive);
  const [losses, setLosses] = useState(0);
  if (wasLive !== isLive) {
    setWasLive(isLive);
    if (!isLive) setLosses(losses + 1);
  }
  return losses;
}
