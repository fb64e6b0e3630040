import { useEffect, useRef } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { useDueReminders } from '../inbox/reminders.ts';
import { useLatest } from '../parts/use-latest.ts';
import { type Address, readAddress } from './address.ts';
import { usePreferences } from './preferences.ts';

interface NoticesOptions {
  readonly client: Client;
  readonly threads: readonly ThreadInfo[];
  /** Whether the list is loaded: what waited before is no news. */
  readonly isReady: boolean;
  readonly open: (address: Address) => void;
}

/** Notifies of each new pending relay while the page is hidden, and of postponed ones when they are due. */
export function useNotices({ client, threads, isReady, open }: NoticesOptions): void {
  const { notify } = usePreferences();
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const latest = useLatest(open);
  const announce = useLatest(async (threadId: string, fresh: readonly string[]) => {
    const relays = await client.listRelays({ threadId }).catch(() => []);
    // Loaded when it is needed: it reads shell commands.
    const { showNotice } = await import('./show-notice.ts');
    for (const info of relays.filter(({ id }) => fresh.includes(id)))
      await showNotice(info, () => latest.current({ section: 'inbox', relayId: info.id }));
  });
  useEffect(() => {
    if (!isReady) return;
    const before = known.current;
    known.current = new Set(threads.flatMap(({ waiting = [] }) => waiting));
    if (before === undefined || !notify || !document.hidden) return;
    for (const { id: threadId, waiting = [] } of threads) {
      const fresh = waiting.filter(id => !before.has(id));
      if (fresh.length > 0) void announce.current(threadId, fresh);
    }
  }, [announce, isReady, notify, threads]);
  useDueReminders(relayId => {
    const thread = threads.find(({ waiting = [] }) => waiting.includes(relayId));
    if (notify && thread !== undefined) void announce.current(thread.id, [relayId]);
  });
  useEffect(() => {
    const onMessage = ({ data }: MessageEvent<{ readonly open?: string }>) => {
      if (typeof data.open === 'string') latest.current(readAddress(new URL(data.open, location.origin)));
    };
    // Absent on pages without a secure origin.
    navigator.serviceWorker?.addEventListener('message', onMessage);
    return () => navigator.serviceWorker?.removeEventListener('message', onMessage);
  }, [latest]);
}
