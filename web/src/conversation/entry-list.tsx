import { type Ref, useMemo, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import type { Row } from './rows.ts';
import { RowView } from './row-view.tsx';

interface EntryListProps {
  readonly rows: readonly Row[];
  readonly scroll: { readonly current: HTMLElement | null };
  readonly ref: Ref<VirtualizerHandle>;
}

/** The most rows that stay mounted because the reader interacted with them. */
const mostUsed = 30;

/** The virtualized rows of the conversation: mounts those in view and those that the reader interacted with. */
export function EntryList({ rows, scroll, ref }: EntryListProps) {
  const { version, shift } = useListChange(rows);
  const [used, setUsed] = useState<readonly string[]>([]);
  const kept = useMemo(() => rows.flatMap(({ key }, index) => (used.includes(key) ? index : [])), [rows, used]);
  const onUse = (key: string) => {
    if (!used.includes(key)) setUsed([...used, key].slice(-mostUsed));
  };
  return (
    <Virtualizer
      key={version}
      ref={ref}
      data={rows}
      scrollRef={scroll}
      shift={shift}
      bufferSize={250}
      keepMounted={kept}
    >
      {row => (
        // Unmounting a row would lose its expanded parts and unsent input.
        <div key={row.key} onClickCapture={() => onUse(row.key)}>
          <RowView row={row} />
        </div>
      )}
    </Virtualizer>
  );
}

interface ListChange {
  readonly rows: readonly Row[];
  /** Whether rows were added or removed at the beginning: the measured heights move with their rows. */
  readonly shift: boolean;
  /** Incremented when the rows are those of another part of the thread; the row heights are then measured again. */
  readonly version: number;
}

/** Returns in which way the rows changed. */
function useListChange(rows: readonly Row[]): ListChange {
  const [change, setChange] = useState<ListChange>({ rows, shift: false, version: 0 });
  if (change.rows === rows) return change;
  const before = change.rows;
  const isSameStart = before[0]?.key === rows[0]?.key;
  const isSameEnd = before.at(-1)?.key === rows.at(-1)?.key;
  const isOther = !isSameStart && !isSameEnd && before.length > 1 && !sharesRows(before, rows);
  const next = { rows, shift: !isSameStart && isSameEnd, version: change.version + (isOther ? 1 : 0) };
  setChange(next);
  return next;
}

function sharesRows(before: readonly Row[], rows: readonly Row[]): boolean {
  const keys = new Set(before.map(({ key }) => key));
  return rows.some(({ key }) => keys.has(key));
}
