import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { ranked } from '../../../src/projections/completion/ranked.ts';
import { MarkedLabel } from '../parts/marked-label.tsx';

/** Something that can be chosen. */
export interface PickerOption {
  readonly value: string;
  readonly label: string;
  readonly detail?: string | undefined;
}

interface PickerProps {
  readonly label: string;
  readonly value: string;
  readonly disabled: boolean;
  readonly onChange: (value: string) => void;
  readonly children: readonly PickerOption[];
}

/** A choice of a few values: a button with the current one, which opens a list that can be searched. */
export function Picker({ label, value, disabled, onChange, children }: PickerProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const shown = children.find(option => option.value === value) ?? children[0];
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="picker"
        aria-label={`${label}: ${shown?.label ?? 'none'}`}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        disabled={disabled || children.length === 0}
        onClick={() => setOpen(!isOpen)}
      >
        <span>{shown?.label}</span>
      </button>
      {isOpen && (
        <PickerList
          label={label}
          value={shown?.value ?? ''}
          options={children}
          anchor={button.current}
          onChoose={chosen => {
            close();
            if (chosen !== value) onChange(chosen);
          }}
          onClose={close}
        />
      )}
    </>
  );
}

interface PickerListProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly PickerOption[];
  readonly anchor: HTMLElement | null;
  readonly onChoose: (value: string) => void;
  readonly onClose: () => void;
}

/** From so many values on, a field to search them is shown. */
const searchedFrom = 7;
const mostShown = 200;

function PickerList({ label, value, options, anchor, onChoose, onClose }: PickerListProps) {
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
        {found.map(({ entry, positions }, index) => (
          <div
            key={entry.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            data-current={entry.value === value}
            className="picker-option"
            onPointerMove={() => setAt(index)}
            onClick={() => onChoose(entry.value)}
          >
            <span>
              <MarkedLabel label={entry.label} positions={positions} />
            </span>
            {entry.detail !== undefined && <small>{entry.detail}</small>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="list-notice">Nothing found.</p>}
    </div>
  );
}

/** What a search looks in: the name first, so that positions in it are positions in the label. */
function searchText({ label, value, detail = '' }: PickerOption): string {
  return [label, value === label ? '' : value, detail].filter(text => text !== '').join(' ');
}

const gap = 6;

/** Shows a box above or below its anchor, where there is more room, and gives its field the focus. */
function usePlaceAt(box: React.RefObject<HTMLDivElement | null>, anchor: HTMLElement | null): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || anchor === null) return;
    element.showPopover();
    const { top, bottom, left, right } = anchor.getBoundingClientRect();
    const isAbove = top > innerHeight - bottom;
    const room = (isAbove ? top : innerHeight - bottom) - 2 * gap;
    const start = getComputedStyle(anchor).direction === 'rtl' ? right - element.offsetWidth : left;
    Object.assign(element.style, {
      maxHeight: `${Math.min(420, room)}px`,
      left: `${Math.max(gap, Math.min(start, innerWidth - element.offsetWidth - gap))}px`,
      ...(isAbove ? { bottom: `${innerHeight - top + gap}px` } : { top: `${bottom + gap}px` }),
    });
    element.querySelector('input')?.focus();
  }, [box, anchor]);
}

function useCloseOutside(
  box: React.RefObject<HTMLElement | null>,
  anchor: HTMLElement | null,
  onClose: () => void,
): void {
  useEffect(() => {
    const onPointerDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && box.current?.contains(target) !== true && anchor?.contains(target) !== true)
        onClose();
    };
    addEventListener('pointerdown', onPointerDown);
    return () => removeEventListener('pointerdown', onPointerDown);
  }, [box, anchor, onClose]);
}
