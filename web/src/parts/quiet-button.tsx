import type { ReactNode, Ref } from 'react';

interface QuietButtonProps {
  /** Its accessible name when its content is not text. */
  readonly label?: string;
  /** The reason that it is disabled; it stays focusable. */
  readonly blocked?: string | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** An unobtrusive button next to a message. */
export function QuietButton({ label, blocked, ref, onClick, children }: QuietButtonProps) {
  return (
    <button
      type="button"
      className="quiet-button"
      ref={ref}
      aria-label={label}
      aria-disabled={blocked !== undefined}
      title={blocked ?? label}
      onClick={() => {
        if (blocked === undefined) onClick();
      }}
    >
      {children}
    </button>
  );
}
