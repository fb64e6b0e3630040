import { useRef, useState } from 'react';
import { parseJson } from '../../../src/base/parse-json.ts';

interface ReviseFieldProps {
  readonly params: Readonly<Record<string, unknown>>;
  readonly disabled: boolean;
  readonly revise: (input: unknown) => void;
}

/** The input of a call as JSON that can be changed before it runs. */
export function ReviseField({ params, disabled, revise }: ReviseFieldProps) {
  const [text, setText] = useState(() => JSON.stringify(params, undefined, 2));
  const field = useRef<HTMLTextAreaElement>(null);
  const input = parseJson(text);
  return (
    <details
      className="revise"
      onToggle={event => {
        if (event.currentTarget.open) field.current?.focus();
      }}
    >
      <summary data-key="e">Change it first</summary>
      <textarea
        ref={field}
        className="field"
        aria-label="Input"
        aria-invalid={input === undefined}
        spellCheck={false}
        rows={Math.min(16, text.split('\n').length + 1)}
        value={text}
        disabled={disabled}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || input === undefined) return;
          event.preventDefault();
          revise(input);
        }}
      />
      <div className="decision-row">
        <button
          type="button"
          className="button"
          disabled={disabled || input === undefined}
          onClick={() => revise(input)}
        >
          Run it like this
        </button>
        {input === undefined && (
          <span className="card-line" data-tone="bad">
            This is no valid JSON.
          </span>
        )}
      </div>
    </details>
  );
}
