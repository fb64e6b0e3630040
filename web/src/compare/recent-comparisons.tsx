import { useCallback } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import type { Address } from '../app/address.ts';
import { ViewLink } from '../app/view-link.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { getTitle } from '../threads/use-threads.ts';

const mostThreads = 100;
const mostShown = 8;

/** The newest comparisons, to open them again. */
export function RecentComparisons({ client, open }: { client: Client; open: (address: Address) => void }) {
  const load = useCallback(async () => comparisonsIn(await client.listThreads({ limit: mostThreads })), [client]);
  const { value = [] } = useLoaded(load);
  if (value.length === 0) return null;
  return (
    <section className="compare-recent">
      <h2>Earlier comparisons</h2>
      <ul>
        {value.slice(0, mostShown).map(({ id, threads }) => (
          <li key={id}>
            <ViewLink to={{ section: 'compare', threads: threads.map(thread => thread.id) }} open={open}>
              {threads[0] && getTitle(threads[0])}
            </ViewLink>{' '}
            <span className="view-note">{threads.map(({ agentId }) => agentId ?? 'agent').join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Comparison {
  readonly id: string;
  readonly threads: readonly ThreadInfo[];
}

/** The comparisons that threads belong to, the newest first; each with its threads in the order of their start. */
function comparisonsIn(threads: readonly ThreadInfo[]): Comparison[] {
  const found = new Map<string, ThreadInfo[]>();
  for (const thread of threads) {
    const { comparison } = (thread['metadata'] ?? {}) as { readonly comparison?: unknown };
    if (typeof comparison !== 'string') continue;
    found.set(comparison, [thread, ...(found.get(comparison) ?? [])]);
  }
  return [...found].map(([id, own]) => ({ id, threads: own.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }));
}
