import '../styles/inspector.css';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { ThreadAddress } from '../app/address.ts';
import { ViewLink } from '../app/view-link.tsx';
import { NextIcon, PreviousIcon } from '../parts/icons.tsx';
import { downloadText } from '../code/download-text.ts';
import { JsonTree } from './json-tree.tsx';
import { ModelCallView } from './model-call-view.tsx';
import { OriginalLine } from './original-line.tsx';
import { useAnswer, type useHistory } from './use-history.ts';

interface InspectorProps {
  readonly client: Client;
  readonly state: ReturnType<typeof useHistory>;
  readonly address: ThreadAddress;
  readonly seq: number;
  readonly open: (address: ThreadAddress, isReplacing?: boolean) => void;
}

interface SeenEvent {
  readonly type: string;
  readonly runId: string;
  readonly ts?: string;
  readonly line?: number;
}

/** Shows one event of a thread: its JSON, the line it was read from, and links to the other views. */
export function Inspector({ client, state, address, seq, open }: InspectorProps) {
  const event = useAnswer(state, 'event', seq) as SeenEvent | undefined;
  const panel = useRef<HTMLElement>(null);
  const { threadId, view } = address;
  const go = (to: number) => open({ ...address, at: to }, true);
  const close = () => open({ section: 'thread', threadId, ...(view && { view }) }, true);
  const { history, status } = state;
  const download = async () => {
    const text = await history?.ask('eventText', seq);
    if (text !== undefined) downloadText(text, `event-${seq}.json`);
  };

  useEffect(() => {
    const element = panel.current;
    const onKeyDown = (pressed: KeyboardEvent) => {
      if (pressed.key !== 'Escape') return;
      pressed.preventDefault();
      close();
    };
    element?.addEventListener('keydown', onKeyDown);
    return () => element?.removeEventListener('keydown', onKeyDown);
  });

  return (
    <aside className="inspector" aria-label={`Event ${seq}`} ref={panel}>
      <header className="inspector-head">
        <h2>
          Event {seq} {event && <code>{event.type}</code>}
        </h2>
        <HeadButton label="Previous event" isDisabled={seq <= 1} onClick={() => go(seq - 1)}>
          <PreviousIcon />
        </HeadButton>
        <HeadButton label="Next event" isDisabled={seq >= status.seq} onClick={() => go(seq + 1)}>
          <NextIcon />
        </HeadButton>
        <HeadButton label="Close the event" onClick={close}>
          ×
        </HeadButton>
      </header>
      <p className="inspector-links">
        {places
          .filter(([place]) => place === undefined || place !== view)
          .map(([place, name]) => (
            <ViewLink
              key={name}
              to={{ section: 'thread', threadId, ...(place && { view: place }), at: seq }}
              open={to => open(to as ThreadAddress)}
            >
              Show in {name}
            </ViewLink>
          ))}
      </p>
      {event === undefined ? (
        <p className="view-note">{status.isComplete ? 'There is no such event.' : 'Loading…'}</p>
      ) : (
        <>
          <ModelCallView state={state} seq={seq} open={to => go(to)} />
          {event.ts !== undefined && <p className="view-note">{new Date(event.ts).toLocaleString()}</p>}
          <h3>
            JSON
            <button type="button" className="quiet-button" onClick={() => void download()}>
              Download
            </button>
          </h3>
          <div className="json" key={seq}>
            <JsonTree value={event} isOpen />
          </div>
          {event.line !== undefined && (
            <>
              <h3>Original line {event.line}</h3>
              <OriginalLine client={client} threadId={threadId} runId={event.runId} line={event.line} />
            </>
          )}
        </>
      )}
    </aside>
  );
}

/** Where else the event is shown. */
const places = [
  [undefined, 'conversation'],
  ['graph', 'graph'],
  ['runs', 'runs'],
] as const;

interface HeadButtonProps {
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function HeadButton({ label, isDisabled = false, onClick, children }: HeadButtonProps) {
  return (
    <button type="button" className="icon-button" aria-label={label} disabled={isDisabled} onClick={onClick}>
      {children}
    </button>
  );
}
