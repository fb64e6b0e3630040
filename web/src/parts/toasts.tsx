import { CloseIcon } from './icons.tsx';

/** A short message at the edge of the page, with its actions. */
export interface Toast {
  readonly key: string;
  readonly text: string;
  readonly tone?: 'bad';
  readonly action?: { readonly label: string; readonly run: () => void };
  readonly onClose?: () => void;
}

/** The messages at the edge of the page; a screen reader reads each once. */
export function Toasts({ toasts }: { toasts: readonly Toast[] }) {
  return (
    <div className="toasts" aria-live="polite">
      {toasts.map(({ key, text, tone, action, onClose }) => (
        <div key={key} className="toast" data-tone={tone}>
          <span>{text}</span>
          {action && (
            <button type="button" className="button" onClick={action.run}>
              {action.label}
            </button>
          )}
          {onClose && (
            <button type="button" className="icon-button" aria-label="Dismiss" onClick={onClose}>
              <CloseIcon />
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
