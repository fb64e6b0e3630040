import { useRef } from 'react';
import { usePreferences } from '../app/preferences.ts';
import { AttachIcon, LaterIcon, SendIcon, StopIcon } from '../parts/icons.tsx';

/** A button that attaches files to a message. */
export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={event => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <button
        type="button"
        className="icon-button"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => picker.current?.click()}
      >
        <AttachIcon />
      </button>
    </>
  );
}

interface SendButtonsProps {
  readonly isRunning: boolean;
  readonly isDisabled: boolean;
  readonly onQueue: () => void;
  readonly onStop: (() => void) | undefined;
}

/** Sends a message; while a run is under way also queues it, and stops the run. */
export function SendButtons({ isRunning, isDisabled, onQueue, onStop }: SendButtonsProps) {
  const { sendKey } = usePreferences();
  return (
    <>
      {isRunning && onStop && (
        <button type="button" className="round-button stop" aria-label="Stop" title="Stop (Esc)" onClick={onStop}>
          <StopIcon />
        </button>
      )}
      {isRunning && (
        <button
          type="button"
          className="round-button later"
          aria-label="Queue for after this turn"
          title={`Queue for after this turn (${sendKey === 'enter' ? 'Ctrl+Enter' : 'Ctrl+Shift+Enter'})`}
          disabled={isDisabled}
          onClick={onQueue}
        >
          <LaterIcon />
        </button>
      )}
      <button
        type="submit"
        className="round-button send"
        aria-label="Send"
        title={isRunning ? 'Send into the run' : 'Send'}
        disabled={isDisabled}
      >
        <SendIcon />
      </button>
    </>
  );
}
