import type { RelayEntry } from '../../projections/relay-book.ts';
import type { CallPlace } from '../../projections/presentation/present-call.ts';
import { type AnswerChoice, presentRelay } from '../../projections/presentation/present-relay.ts';
import { relayDetails, relayTitle } from '../rows/relay-details.ts';
import { lead, type Line, span, type Span } from '../screen/styled-line.ts';
import { textWidth } from '../screen/text-width.ts';
import { wrapLine } from '../screen/wrap-line.ts';
import type { Band } from './relay-band.ts';

/** Every row of the band begins with it. */
const bar: Span = lead(span('▌ ', 'magenta'), '▌ ');

/** How many things wait, and which of them the band shows. */
export interface BandPlace {
  readonly index: number;
  readonly count: number;
  readonly width: number;
  /** The most lines that it may take. */
  readonly most: number;
  /** The agent that asks, and the folder it works in. */
  readonly place: CallPlace;
  /** Whether keys answer; else they write the message. */
  readonly takesKeys: boolean;
}

/** Draws the band: what would happen exactly, why, and the keys that answer. The line with the keys is always there. */
export function bandLines(entry: RelayEntry, band: Band, bandPlace: BandPlace): Line[] {
  const { index, count, width, most, place, takesKeys } = bandPlace;
  const number = count > 1 ? ` (${index + 1} of ${count})` : '';
  const asks = entry.relay.relayKind === 'question' ? 'Question: ' : '';
  const title: Line = [bar, span(`${asks}${relayTitle(entry.relay, place)}${number}`, 'bold')];
  if (band.focus === 'left' || most < 3) return [[...title, span(' · Alt+A answers', 'dim')]];
  const keys = keyLines(entry, band, bandPlace);
  const head = wrapLine(title, width).slice(0, Math.max(1, most - 1 - keys.length));
  const room = Math.max(1, most - head.length - keys.length);
  const details = relayDetails(entry.relay, {
    width: width - 2,
    mostDiff: band.isLarge ? 1_000 : 12,
    hint: 'Ctrl+F',
    place,
    marked: takesKeys ? band.marked : -1,
    chosen: band.chosen,
    habit: width < narrow ? '' : ' (Enter does not approve it)',
  }).flatMap(line => wrapLine([bar, ...line], width));
  const shown =
    details.length <= room
      ? details
      : [...details.slice(0, room - 1), [bar, span(`… ${details.length - room + 1} more lines: Ctrl+F`, 'dim')]];
  return [...head, ...shown, ...keys];
}

/** Draws the keys; where a line is full, the next key begins another. */
function keyLines(entry: RelayEntry, band: Band, { width, takesKeys }: BandPlace): Line[] {
  const rows: string[] = [];
  for (const key of keyWords(entry, band, width, takesKeys).split(separator)) {
    const longer = rows.length === 0 ? key : `${rows.at(-1)}${separator}${key}`;
    if (rows.length > 0 && textWidth(longer) <= width - 2) rows[rows.length - 1] = longer;
    else rows.push(key);
  }
  const ink = takesKeys ? 'cyan' : 'dim';
  return rows.flatMap(row => wrapLine([bar, span(row, ink)], width));
}

const separator = ' · ';

function keyWords({ relay }: RelayEntry, band: Band, width: number, takesKeys: boolean): string {
  if (band.focus === 'reason') return 'reason for the agent, then Enter · Esc goes back';
  if (band.focus === 'answer') return 'your answer, then Enter · Esc leaves it in the inbox';
  if (takesKeys) return keysFor(relay, width);
  return width < narrow ? 'you write · Alt+A answers' : 'your keys write the message · Alt+A answers this';
}

/** A window with fewer columns has shorter words. */
const narrow = 60;

function keysFor(relay: RelayEntry['relay'], width: number): string {
  const { answers } = presentRelay(relay);
  const isNarrow = width < narrow;
  if (relay.relayKind === 'question')
    return isNarrow
      ? '1-9 or Enter · e writes · Esc later'
      : '1-9 or ↑ ↓ Enter chooses · Space marks · e writes an answer · Esc later';
  const label = ({ label: words }: AnswerChoice) =>
    isNarrow ? (words.split(' ').at(words === 'this thread' ? -1 : 0) ?? '') : words;
  const keys = answers.map(choice => `${choice.key} ${label(choice)}`);
  return [...keys, ...(relay.relayKind === 'plan' && !isNarrow ? ['Ctrl+F all of it'] : []), 'Esc later'].join(
    separator,
  );
}
