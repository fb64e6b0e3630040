import { memo, useState } from 'react';

interface JsonTreeProps {
  readonly name?: string;
  readonly value: unknown;
  /** Whether the entries are shown at first. */
  readonly isOpen?: boolean;
}

/** A JSON value as a tree: entries are made when they are opened. */
export const JsonTree = memo(function JsonTree({ name, value, isOpen = false }: JsonTreeProps) {
  const [open, setOpen] = useState(isOpen);
  const label = name === undefined ? null : <span className="json-key">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div className="json-leaf">
        {label}
        <span className="json-value" data-type={value === null ? 'null' : typeof value}>
          {typeof value === 'string' ? value : String(value)}
        </span>
      </div>
    );
  const entries = Object.entries(value);
  const count = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details className="json-branch" open={open} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span className="json-count">{count}</span>
      </summary>
      {open && entries.map(([key, each]) => <JsonTree key={key} name={key} value={each} />)}
    </details>
  );
});
