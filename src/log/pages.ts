/** An iterator of items; items that have arrived can be taken without a wait. */
export interface Taking<Item> extends AsyncIterableIterator<Item> {
  /** Returns the next item if it has arrived; must not be called while a call of `next` is pending. */
  take(): Item | undefined;
  /** Ends the iteration at once, also for a pending call of `next`. */
  leave(): void;
}

/** Yields the items of pages without a wait between items of one page. The rest of a page is dropped once `isOver`. */
export function eachOfPages<Item>(
  pages: AsyncGenerator<readonly Item[], undefined>,
  { isOver, leave }: { readonly isOver: () => boolean; readonly leave: () => void },
): Taking<Item> {
  let page: readonly Item[] = [];
  let at = 0;
  /** Settles when the next page has arrived. */
  let turning: Promise<IteratorResult<Item>> | undefined;

  async function turn(): Promise<IteratorResult<Item>> {
    try {
      for (;;) {
        const turned = await pages.next();
        if (turned.done === true) return { done: true, value: undefined };
        page = turned.value;
        at = 1;
        if (page.length > 0 && !isOver()) return { done: false, value: page[0] as Item };
      }
    } finally {
      turning = undefined;
    }
  }

  function give(): Promise<IteratorResult<Item>> {
    if (turning !== undefined) return turning.then(give, give);
    const value = take();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    turning = turn();
    return turning;
  }

  function take(): Item | undefined {
    return at < page.length && !isOver() ? page[at++] : undefined;
  }

  return {
    next: give,
    take,
    leave,
    return: async () => {
      page = [];
      leave();
      await pages.return(undefined);
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
