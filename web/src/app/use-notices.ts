import { useEffect, useRef } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { ThreadInfo } from '../../../src/protocols/index.ts';
import { useLatest } from '../parts/use-latest.ts';
import { presentRelay } from '../../../src/projections/presentation/present-relay.ts';
import { relayIn } from '../relays/relay-summary.ts';
import type { Address } from './address.ts';
import { usePreferences } from './preferences.ts';

interface NoticeOptions {
  readonly client: Client;
  readonly threads: readonly ThreadInfo[];
  /** Whether the list is loaded: what waited before is no news. */
  readonly isReady: boolean;
  readonly open: (address: Address) => void;
}

/** Notifies of each relay that begins to wait while the page is not visible; a click opens it. */
export function useNotices({ client, threads, isReady, open }: NoticeOptions): void {
  const { notify } = usePreferences();
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const latest = useLatest(open);
  useEffect(() => {
    if (!isReady) return;
    const before = known.current;
    known.current = new Set(threads.flatMap(({ waiting = [] }) => waiting));
    if (before === undefined || !notify || !document.hidden) return;
    for (const { id: threadId, waiting = [] } of threads) {
      const fresh = waiting.filter(id => !before.has(id));
      if (fresh.length > 0) void announce({ client, threadId, fresh, open: address => latest.current(address) });
    }
  }, [client, isReady, latest, notify, threads]);
}

interface Announcement {
  readonly client: Client;
  readonly threadId: string;
  readonly fresh: readonly string[];
  readonly open: (address: Address) => void;
}

async function announce({ client, threadId, fresh, open }: Announcement): Promise<void> {
  if (Notification.permission !== 'granted') return;
  const relays = await client.listRelays({ threadId }).catch(() => []);
  for (const info of relays.filter(({ id }) => fresh.includes(id))) {
    const { summary, risks } = presentRelay(relayIn(info), { agentId: info.agentId });
    const body = [summary.slice(0, 300), ...risks].join('\n');
    // Other tabs replace a notification with the same tag instead of adding one.
    const notice = new Notification(`${info.agentId ?? 'An agent'} asks`, { body, tag: info.id, icon: '/favicon.svg' });
    notice.addEventListener('click', () => {
      focus();
      open({ section: 'inbox', relayId: info.id });
      notice.close();
    });
  }
}
