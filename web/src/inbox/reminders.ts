import { useEffect, useSyncExternalStore } from 'react';
import * as z from 'zod';
import { readStored, writeStored } from '../parts/stored-value.ts';
import { useLatest } from '../parts/use-latest.ts';

/** The relays that were postponed in this browser: their due times by id. */
export type Reminders = Readonly<Record<string, number>>;

const name = 'reminders';
const schema = z.record(z.string(), z.number());
const listeners = new Set<() => void>();
let current: Reminders = readStored(name, schema) ?? {};

/** Puts a question off until a time; those whose time is long over are forgotten. */
export function remindAt(relayId: string, time: number): void {
  const day = 86_400_000;
  const kept = Object.entries(current).filter(([, until]) => until > Date.now() - day);
  change({ ...Object.fromEntries(kept), [relayId]: time });
}

/** Returns the relays that are postponed now. */
export function useReminders(): Reminders {
  return useSyncExternalStore(subscribe, () => current);
}

/** Calls `onDue` once for each relay that becomes due while the page is open. */
export function useDueReminders(onDue: (relayId: string) => void): void {
  const reminders = useReminders();
  const latest = useLatest(onDue);
  useEffect(() => {
    const now = Date.now();
    const timers = Object.entries(reminders).flatMap(([relayId, time]) => {
      const due = () => {
        // Another object, so that lists show it again.
        change({ ...current });
        latest.current(relayId);
      };
      return time <= now ? [] : [setTimeout(due, Math.min(time - now, 2 ** 31 - 1))];
    });
    return () => timers.forEach(clearTimeout);
  }, [reminders, latest]);
}

function change(next: Reminders): void {
  current = next;
  writeStored(name, next);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
