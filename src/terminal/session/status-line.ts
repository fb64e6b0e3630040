import { secondsText } from '../../projections/presentation/wording.ts';
import { costText } from '../rows/part-rows.ts';
import type { Doing } from '../rows/row-feed.ts';
import { oneLine } from '../../projections/presentation/present-call.ts';
import { type Line, span } from '../screen/styled-line.ts';
import { lineWidth } from '../screen/text-width.ts';

/** The content of the status line. */
interface Status {
  /** The agent; ours is not named. */
  readonly agent: string;
  readonly mode: string;
  readonly model: string;
  /** The unused share of the context, from 0 to 1. */
  readonly contextLeft?: number | undefined;
  readonly cost?: number | undefined;
  readonly waiting: number;
  /** How many other threads run. */
  readonly background: number;
  readonly hint: string;
  /** A word to the person, before everything else. */
  readonly notice?: string | undefined;
}

/** Draws the items from left to right and skips those that do not fit. */
export function statusLine(
  { agent, mode, model, contextLeft, cost, waiting, background, hint, notice }: Status,
  width: number,
): Line {
  const others = [waiting > 0 && `${waiting} waiting`, background > 0 && `${background} in background`].filter(
    text => text !== false,
  );
  const items: Line[] = [
    ...(notice === undefined ? [] : [[span(notice, 'yellow')]]),
    ...(agent === 'coder' || agent === mode ? [] : [[span(agent, 'cyan')]]),
    ...(mode === '' ? [] : [[span(mode, 'bold')]]),
    ...others.map((text): Line => [span(text, 'magenta')]),
    ...(model === '' ? [] : [[span(model, 'dim')]]),
    ...(contextLeft === undefined
      ? []
      : [
          [
            span(
              `${Math.round(contextLeft * 100)}% context left`,
              ...(contextLeft < 0.1 ? (['yellow'] as const) : (['dim'] as const)),
            ),
          ],
        ]),
    ...(cost === undefined ? [] : [[span(costText(cost), 'dim')]]),
    ...(hint === '' ? [] : [[span(hint, 'dim')]]),
  ];
  let line: Line = [];
  for (const item of items) {
    const longer = line.length === 0 ? item : [...line, span(' · ', 'dim'), ...item];
    if (lineWidth(longer) <= width) line = longer;
  }
  return line;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** After this long without a sign of life the line mentions it. */
const silentMs = 30_000;

/** The activity of the agent, and the time of its latest event. */
export interface Activity extends Doing {
  readonly lastAt: number | undefined;
  readonly now: number;
  /** Whether Escape stops it: not while it leaves a question. */
  readonly isStoppable: boolean;
  /** The key that stops it. Default: Esc. */
  readonly stopKey?: string;
}

/** A message that is being stored, or whose run reads its thread. */
interface Waiting {
  /** Its text while the store does not have it. */
  readonly text?: string;
  /** How long it has waited, in milliseconds. */
  readonly ms: number;
  readonly now: number;
}

/** A store that takes longer is named as what holds a message up, in milliseconds. */
const slowStoreMs = 2_000;

/** Draws what a message waits for, and the message. */
export function waitingLines({ text, ms, now }: Waiting): Line[] {
  const time = ms < slowStoreMs ? '' : ` · ${secondsText(ms)}`;
  const frame = span(`${frameAt(now)} `, 'cyan');
  if (text === undefined) return [[frame, span(`Reading the thread${time}`)]];
  const hint = time === '' ? '' : ' · the store is locked or does not answer';
  return [
    [span('› ', 'cyan'), span(oneLine(text, 200), 'dim')],
    [frame, span(`Storing the message${time}`), span(hint, 'dim')],
  ];
}

function frameAt(now: number): string {
  return frames[Math.floor(now / 200) % frames.length] ?? '';
}

/**
 * Draws the activity of the agent and its duration, so that a hanging request does not look like work. Omits facts that
 * do not fit.
 */
export function activityLine(
  { words, since, until, lastAt, now, isStoppable, stopKey = 'Esc' }: Activity,
  width: number,
): Line {
  const next = until === undefined ? '' : `, next try in ${secondsText(until - now + 999)}`;
  const isSilent = until === undefined && lastAt !== undefined && now - lastAt > silentMs;
  const facts = [
    since !== undefined && now - since >= 1_000 && secondsText(now - since),
    isSilent && `no output for ${secondsText(now - lastAt)}`,
    isStoppable && `${stopKey} stops`,
  ];
  let line: Line = [span(`${frameAt(now)} `, 'cyan'), span(`${words}${next}`)];
  for (const fact of facts) {
    const longer = fact === false ? line : [...line, span(` · ${fact}`, 'dim')];
    if (lineWidth(longer) <= width) line = longer;
  }
  return line;
}
