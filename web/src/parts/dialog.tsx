import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { CloseIcon } from './icons.tsx';

interface DialogProps {
  readonly label: string;
  /** Selects its look: a sheet with a heading, narrow or wide, or the palette without one. */
  readonly look?: 'sheet' | 'wide' | 'palette';
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog: its first field has the focus, which stays inside; Escape or a click outside closes it and returns it. */
export function Dialog({ label, look = 'sheet', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // Before anything is drawn: a key that is pressed then belongs to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('textarea, input:is([type=text], [type=search], :not([type]))')?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      className="dialog"
      data-look={look}
      aria-label={label}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
      onClick={event => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="dialog-body">
        {look !== 'palette' && (
          <header className="dialog-head">
            <h2>{label}</h2>
            <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
              <CloseIcon />
            </button>
          </header>
        )}
        {children}
      </div>
    </dialog>
  );
}

interface DialogActionsProps {
  /** Why the action failed. */
  readonly problem: string | undefined;
  /** The action. */
  readonly label: string;
  readonly isDisabled: boolean;
  readonly onAct: () => void;
  readonly cancelLabel?: string;
  readonly onClose: () => void;
}

/** The footer of a confirmation dialog: the problem, the button that closes it, and the button that confirms. */
export function DialogActions(props: DialogActionsProps) {
  const { problem, label, isDisabled, onAct, cancelLabel = 'Cancel', onClose } = props;
  return (
    <>
      {problem !== undefined && (
        <p className="card-line" data-tone="bad" role="alert">
          {problem}
        </p>
      )}
      <div className="dialog-row">
        <button type="button" className="button" onClick={onClose}>
          {cancelLabel}
        </button>
        <button type="button" className="button primary" disabled={isDisabled} onClick={onAct}>
          {label}
        </button>
      </div>
    </>
  );
}
