import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { ThreadSnapshot, ThreadStore } from '../../../src/client/thread-store.ts';
import { PagedList } from '../../../src/projections/reading/paged-list.ts';
import type { ViewNode } from '../../../src/projections/reading/view-node.ts';
import { Folds } from './folds.ts';
import { openFoldsAt } from './open-folds.ts';
import { ReadingPosition } from './reading-position.ts';
import { type Row, buildRows } from './rows.ts';

const nothing = {
  nodeList: PagedList.of<ViewNode>([]),
  newestList: PagedList.of<ViewNode>([]),
  hidden: new Set<string>(),
  cut: new Set<string>(),
  seq: 0,
  firstSeq: 1,
  lastSeq: 0,
  hasEarlier: false,
  hasLater: false,
};

const pins = { pinsTasks: true };

/** The rows of a thread, the elements that show them, and the place of the reader in them. */
export function useReadingList(store: ThreadStore | undefined, thread: ThreadSnapshot | undefined) {
  const shown = thread ?? nothing;
  const [folds] = useState(() => new Folds());
  const [foldVersion, setFoldVersion] = useState(0);
  const [target, setTarget] = useState<string>();
  // The newest event when the reader left the end.
  const [leftAt, setLeftAt] = useState<number>();
  const latest = useRef(store);
  latest.current = store;
  const [position] = useState(() => {
    // A server that cannot be reached is shown as such by the connection.
    const quietly = (load: Promise<void> | undefined) => void load?.catch(() => {});
    return new ReadingPosition({
      loadEarlier: () => quietly(latest.current?.loadEarlier()),
      loadLater: () => quietly(latest.current?.loadLater()),
      look: seq => latest.current?.look(seq),
      onAway: isAway => setLeftAt(isAway ? (latest.current?.getSnapshot().seq ?? 0) : undefined),
      onTarget: setTarget,
    });
  });
  const elements = {
    scroll: useRef<HTMLDivElement>(null),
    column: useRef<HTMLDivElement>(null),
    spacer: useRef<HTMLDivElement>(null),
    list: useRef<VirtualizerHandle>(null),
  };
  const { scroll, column, spacer, list } = elements;

  const rows = useMemo(() => buildRows(shown, folds, pins), [shown, folds, foldVersion]);
  const newRows =
    leftAt === undefined ? 0 : rowsAfter(buildRows({ ...shown, nodeList: shown.newestList }, folds, pins), leftAt);

  useEffect(() => {
    if (scroll.current === null || column.current === null || spacer.current === null) return undefined;
    return position.attach({ scroll: scroll.current, column: column.current, spacer: spacer.current });
  }, [position, scroll, column, spacer]);
  useLayoutEffect(() => {
    const { firstSeq, lastSeq, hasEarlier, hasLater } = shown;
    position.update(list.current, { rows, firstSeq, lastSeq, hasEarlier, hasLater });
  }, [position, list, rows, shown]);

  const fold = useCallback(
    (id: string, isOpen: boolean) => {
      position.stay();
      folds.set(id, isOpen);
      setFoldVersion(folds.version);
    },
    [folds, position],
  );
  const toEnd = useCallback(() => {
    latest.current?.goToEnd();
    position.toEnd();
  }, [position]);
  const toTurn = useCallback(() => {
    latest.current?.goToEnd();
    position.toEnd(latest.current?.getSnapshot().seq ?? 0);
  }, [position]);
  const toEvent = useCallback(
    async (seq: number, isMarked = true) => {
      const opened = latest.current;
      if (opened === undefined) return;
      // The list keeps its position when the target cannot be loaded.
      await opened.goTo(seq).catch(() => {});
      if (openFoldsAt(opened.getSnapshot().nodeList, seq, folds)) setFoldVersion(folds.version);
      const event = opened.eventAt(seq);
      position.goTo({ seq, partId: event && getPartId(event), isMarked });
    },
    [folds, position],
  );

  return { rows, elements, target, isAway: leftAt !== undefined, newRows, position, fold, toEnd, toTurn, toEvent };
}

function rowsAfter(rows: readonly Row[], seq: number): number {
  return rows.filter(row => row.kind !== 'edge' && row.kind !== 'end' && row.seq > seq).length;
}

/** The part that an event belongs to, when it names one. */
function getPartId(event: object): string | undefined {
  const fields = event as { readonly [field: string]: unknown };
  const id = fields['toolCallId'] ?? fields['relayId'] ?? fields['id'];
  return typeof id === 'string' ? id : undefined;
}
