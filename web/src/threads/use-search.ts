import { useEffect, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { SearchInfo, ThreadInfo } from '../../../src/protocols/http-api.ts';

/** The results of a search: threads by title, and messages by text. */
export interface Found {
  readonly text: string;
  readonly threads: readonly ThreadInfo[];
  readonly hits: SearchInfo['hits'];
}

const pauseMs = 150;

/** Searches titles and messages while a text is typed, from two characters on. Undefined until the first answer. */
export function useSearch(client: Client, typed: string): Found | undefined {
  const text = typed.trim();
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (text.length < 2) return setFound(undefined);
    let isOver = false;
    const timer = setTimeout(() => {
      const titles = client.searchThreads({ query: text, limit: 30 });
      const messages = client.search({ text, limit: 30 });
      Promise.all([titles, messages]).then(
        ([{ threads }, { hits }]) => {
          if (!isOver) setFound({ text, threads, hits: hits.filter(({ messageId }) => messageId !== undefined) });
        },
        () => {
          if (!isOver) setFound({ text, threads: [], hits: [] });
        },
      );
    }, pauseMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, text]);
  return text.length < 2 ? undefined : found;
}
