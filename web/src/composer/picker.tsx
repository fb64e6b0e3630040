import { useRef, useState } from 'react';
import { PickerList, type PickerOption } from './picker-list.tsx';

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
