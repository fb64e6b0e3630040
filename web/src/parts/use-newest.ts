import { useState } from 'react';
import type { PagedList } from '../../../src/projections/index.ts';

/** Returns the newest items of a list, between one and two pages of them, with the number of those before. */
export function useNewest<Item>(list: PagedList<Item>, pageSize: number) {
  const [pages, setPages] = useState(1);
  const before = Math.max(0, (Math.floor(list.length / pageSize) - pages) * pageSize);
  return { items: list.slice(before), before, showEarlier: () => setPages(pages + 1) };
}
