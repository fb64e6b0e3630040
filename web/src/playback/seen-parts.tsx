import { memo, useEffect, useRef } from 'react';
import type { Moment, SeenPart } from '../history/moments.ts';

/** What a person saw at a moment, its end in view. */
export function SeenParts({ moment, isPlaying }: { moment: Moment | undefined; isPlaying: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [moment]);
  return (
    <div className="playback-seen" ref={box} role="region" aria-label="Conversation at this moment" tabIndex={0}>
      <div className="playback-column" aria-live={isPlaying ? 'off' : 'polite'}>
        {moment?.parts.map(part => (
          <Part key={part.id} part={part} />
        ))}
        {moment !== undefined && moment.pending > 0 && <p className="playback-note">Waits for a person</p>}
        {moment !== undefined && moment.pending === 0 && moment.running > 0 && (
          <p className="playback-note">Working…</p>
        )}
      </div>
    </div>
  );
}

const Part = memo(
  function Part({ part: { kind, who, label, text, status } }: { part: SeenPart }) {
    return (
      <div className="playback-part" data-kind={kind} data-status={status}>
        <p className="playback-who">
          {who}
          {label !== '' && ` · ${label}`}
          {status !== '' && <span> {status}</span>}
        </p>
        {text !== '' && <p className="playback-text">{text}</p>}
      </div>
    );
  },
  ({ part: a }, { part: b }) => a.id === b.id && a.text === b.text && a.status === b.status && a.label === b.label,
);
