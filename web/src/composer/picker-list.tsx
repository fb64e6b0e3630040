import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { type Ranked, ranked } from '../../../src/projections/completion/fuzzy-match.ts';
import { MarkedLabel } from '../parts/marked-label.tsx';
import { useCloseOutside, usePlaceAt } from './use-popover.ts';

/** Something that can be chosen. */
export interface PickerOption {
  readonly value: string;
  readonly label: string;
  readonly detail?: string | undefined;
}

interface PickerListProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly PickerOption[];
  readonly anchor: HTMLElement | null;
  readonly onChoose: (value: string) => void;
  readonly onClose: () => void;
}

/** The minimum number of values for a search field. */
const searchedFrom = 7;
const mostShown = 200;

/** The values of a picker, searched by what is typed and chosen by keyboard or pointer. */
export function PickerList({ label, value, options, anchor, onChoose, onClose }: PickerListProps) {
  const [typed, setTyped] = useState('');
  const found = ranked(options, typed.trim(), { textOf: searchText, limit: mostShown });
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      options.findIndex(option => option.value === value),
    ),
  );
  const chosen = Math.min(at, found.length - 1);
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  usePlaceAt(box, anchor);
  useCloseOutside(box, anchor, onClose);
  useEffect(() => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [id, chosen]);

  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 };
    const to = moves[event.key];
    if (to !== undefined) setAt((to + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      const option = found[chosen]?.entry;
      if (option !== undefined) onChoose(option.value);
    } else if (event.key === 'Escape' || event.key === 'Tab') onClose();
    else return;
    event.preventDefault();
  };
  const isSearched = options.length >= searchedFrom;
  const combobox = {
    role: 'combobox',
    'aria-label': `Choose: ${label}`,
    'aria-expanded': true,
    'aria-controls': id,
    'aria-activedescendant': found.length === 0 ? undefined : `${id}-${chosen}`,
  } as const;
  return (
    <div className="picker-list" popover="manual" ref={box} onKeyDown={onKeyDown}>
      <input
        {...combobox}
        className={isSearched ? 'field' : 'unseen'}
        placeholder={`Search ${label.toLowerCase()}`}
        readOnly={!isSearched}
        value={typed}
        onChange={event => {
          setTyped(event.target.value);
          setAt(0);
        }}
      />
      <div id={id} role="listbox" aria-label={label} tabIndex={-1}>
        {found.map((option, index) => (
          <OptionRow
            key={option.entry.value}
            option={option}
            id={`${id}-${index}`}
            isMarked={index === chosen}
            isCurrent={option.entry.value === value}
            onMark={() => setAt(index)}
            onChoose={() => onChoose(option.entry.value)}
          />
        ))}
      </div>
      {found.length === 0 && <p className="list-notice">Nothing found.</p>}
    </div>
  );
}

interface OptionRowProps {
  readonly option: Ranked<PickerOption>;
  readonly id: string;
  readonly isMarked: boolean;
  readonly isCurrent: boolean;
  readonly onMark: () => void;
  readonly onChoose: () => void;
}

function OptionRow({ option: { entry, positions }, id, isMarked, isCurrent, onMark, onChoose }: OptionRowProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isMarked}
      data-current={isCurrent}
      className="picker-option"
      onPointerMove={onMark}
      onClick={onChoose}
    >
      <span>
        <MarkedLabel label={entry.label} positions={positions} />
      </span>
      {entry.detail !== undefined && <small>{entry.detail}</small>}
    </div>
  );
}

/** Returns the text that is searched. The label comes first, so that match positions are positions in the label. */
function searchText({ label, value, detail = '' }: PickerOption): string {
  return [label, value === label ? '' : value, detail].filter(text => text !== '').join(' ');
}
