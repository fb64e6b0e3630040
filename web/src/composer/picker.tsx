interface PickerProps {
  readonly label: string;
  readonly value: string;
  readonly disabled: boolean;
  readonly onChange: (value: string) => void;
  readonly children: readonly { readonly value: string; readonly label: string }[];
}

/** A choice of a few values. */
export function Picker({ label, value, disabled, onChange, children }: PickerProps) {
  return (
    <select
      className="picker"
      aria-label={label}
      value={value}
      disabled={disabled || children.length === 0}
      onChange={event => onChange(event.target.value)}
    >
      {children.map(option => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
