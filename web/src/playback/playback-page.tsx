import '../styles/playback.css';
import { useEffect, useRef, useState } from 'react';
import type { ThreadAddress } from '../app/address.ts';
import type { ThreadViewProps } from '../app/thread-view-page.tsx';
import { ViewLink } from '../app/view-link.tsx';
import { Picker } from '../composer/picker.tsx';
import { HistoryNotice, HistoryState } from '../history/history-state.tsx';
import { eventAt, type PlaybackTrack } from '../history/playback-track.ts';
import { useAnswer, useHistory } from '../history/use-history.ts';
import { durationText, shortCount } from '../../../src/projections/presentation/wording.ts';
import { SeenRows } from './seen-rows.tsx';
import { usePlayer } from './use-player.ts';

const speeds = [
  { value: 'whole', label: 'All of it in 10 seconds' },
  { value: '1', label: 'Real time' },
  { value: '10', label: '10 times' },
  { value: '50', label: '50 times' },
] as const;
type Speed = (typeof speeds)[number]['value'];
const wholeMs = 10_000;

/** Plays back a thread at any speed, with a scrubber. */
export function PlaybackPage({ agents, address, open }: ThreadViewProps) {
  const state = useHistory(address.threadId);
  // While a thread is read, its track grows: it is asked for when all that was stored is read.
  const track = useAnswer(state, 'track', state.status.isComplete ? null : undefined);
  const isEmpty = track === undefined || track.real.length === 0;
  return (
    <div className="playback">
      <HistoryNotice status={state.status} />
      <HistoryState status={state.status} isEmpty={isEmpty} empty="There is nothing to play." />
      {track && !isEmpty && <Player state={state} track={track} agents={agents} address={address} open={open} />}
    </div>
  );
}

interface PlayerProps extends Pick<ThreadViewProps, 'agents' | 'address' | 'open'> {
  readonly state: ReturnType<typeof useHistory>;
  readonly track: PlaybackTrack;
}

function Player({ state, track, agents, address, open }: PlayerProps) {
  const { threadId, at } = address;
  const [speed, setSpeed] = useState<Speed>('whole');
  const [isSkipping, setSkipping] = useState(true);
  const times = isSkipping ? track.busy : track.real;
  const length = times.at(-1) ?? 0;
  const start = at === undefined ? 0 : (times[at - track.firstSeq] ?? 0);
  const factor = speed === 'whole' ? Math.max(length, 1) / wholeMs : Number(speed);
  const { position, isPlaying, toggle, seek } = usePlayer(length, factor, start);
  const index = eventAt(times, position);
  const seq = track.firstSeq + index;
  const moment = useAnswer(state, 'moment', seq);
  const go = (to: number) => seek(times[Math.max(0, Math.min(times.length - 1, to))] ?? 0);

  useRestingAddress({ threadId, at, seq, isPlaying, open });
  return (
    <>
      <SeenRows agents={agents} threadId={threadId} moment={moment} isPlaying={isPlaying} />
      <div
        className="playback-controls"
        onKeyDown={event => {
          if (event.key !== ' ' || event.target instanceof HTMLButtonElement) return;
          event.preventDefault();
          toggle();
        }}
      >
        <input
          type="range"
          aria-label="Position"
          aria-valuetext={`Event ${seq} of ${track.firstSeq + times.length - 1}`}
          min={0}
          max={times.length - 1}
          value={index}
          onChange={event => go(Number(event.target.value))}
        />
        <div className="playback-row">
          <button type="button" className="button primary" onClick={toggle}>
            {isPlaying ? 'Pause' : 'Play'}
          </button>
          <Picker label="Speed" value={speed} disabled={false} onChange={value => setSpeed(value as Speed)}>
            {speeds}
          </Picker>
          <label className="playback-check">
            <input type="checkbox" checked={isSkipping} onChange={event => setSkipping(event.target.checked)} /> Skip
            idle time
          </label>
          <span className="playback-where">
            {momentText(track, index)}
            {moment !== undefined && moment.tokens > 0 && ` · ${shortCount(moment.tokens)} tokens`}
          </span>
          <MomentLinks threadId={threadId} seq={seq} open={open} />
        </div>
      </div>
    </>
  );
}

/** Returns a label with the number of the event and its time since the first one. */
function momentText({ firstSeq, real }: PlaybackTrack, index: number): string {
  const [seq, last] = [firstSeq + index, firstSeq + real.length - 1].map(each => each.toLocaleString('en'));
  return `Event ${seq} of ${last} · ${durationText(real[index] ?? 0)} of ${durationText(real.at(-1) ?? 0)}`;
}

interface Resting extends Pick<ThreadViewProps, 'open'> {
  readonly threadId: string;
  readonly at: number | undefined;
  readonly seq: number;
  readonly isPlaying: boolean;
}

/** Puts the event into the address when the playback rests: other views open there. */
function useRestingAddress({ threadId, at, seq, isPlaying, open }: Resting): void {
  const isResting = useRef(true);
  useEffect(() => {
    if (isPlaying) isResting.current = false;
    else if (!isResting.current || at !== undefined) {
      isResting.current = true;
      open({ section: 'thread', threadId, view: 'playback', at: seq }, true);
    }
  }, [isPlaying, seq]);
}

/** The other views at this event. */
function MomentLinks({ threadId, seq, open }: Pick<Resting, 'threadId' | 'seq' | 'open'>) {
  const linked = { section: 'thread', threadId, at: seq } as const;
  return (
    <span className="playback-links">
      {(['graph', 'runs'] as const).map(view => (
        <ViewLink key={view} to={{ ...linked, view }} open={to => open(to as ThreadAddress)}>
          {view === 'graph' ? 'Graph here' : 'Runs here'}
        </ViewLink>
      ))}
      <ViewLink to={linked} open={to => open(to as ThreadAddress)}>
        Conversation here
      </ViewLink>
    </span>
  );
}
