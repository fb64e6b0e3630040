import type { ReactNode, Ref } from 'react';

interface QuietButtonProps {
  /** What it is called when its content does not say it. */
  readonly label?: string;
  /** Why it cannot be pressed now; it can still be reached. */
  readonly blocked?: string | undefined;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** A button beside a message that does not ask for attention. */
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
