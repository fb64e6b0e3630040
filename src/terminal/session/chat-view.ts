import { rowText } from '../../events/terminal-text.ts';
import type { Completion } from '../../projections/completion/completion.ts';
import type { RelayEntry } from '../../projections/index.ts';
import { type CallPlace, oneLine } from '../../projections/presentation/present-call.ts';
import type { Composer } from '../composer/composer.ts';
import { draftView } from '../composer/draft-layout.ts';
import { taskList, tasksSummary } from '../rows/fact-lines.ts';
import { type Frame, mostLiveRows, type ScreenSize } from '../screen/inline-renderer.ts';
import { inked, type Line, span, type Span } from '../screen/styled-line.ts';
import { textWidth } from '../screen/text-width.ts';
import { cutLine } from '../screen/wrap-line.ts';
import { type Band, isWriting, takesKeys } from './relay-band.ts';
import { bandLines } from './relay-lines.ts';
import { type Activity, activityLine, type Status, statusLine, type Waiting, waitingLines } from './status-line.ts';

/** A task of the thread. */
type Tasks = Parameters<typeof tasksSummary>[0];

/** Everything that the live area shows. */
interface ChatView {
  readonly size: ScreenSize;
  /** Draws the parts that are not finished, in at most this many lines. */
  readonly open: (most: number) => readonly Line[];
  /** Whether these parts continue a text whose first rows are printed. */
  readonly continuesText: boolean;
  readonly pending: readonly RelayEntry[];
  readonly band: Band | undefined;
  /** The agent that asks, and the folder it works in. */
  readonly place: CallPlace;
  readonly tasks: Tasks;
  readonly showsTasks: boolean;
  readonly queue: readonly string[];
  /** What goes into the turn that runs. */
  readonly steering: readonly string[];
  readonly composer: Composer;
  /** Lines under the composer: completions, or a list. */
  readonly below: readonly Line[];
  /** A word to the person that disappears with the next key. */
  readonly notice: string | undefined;
  readonly activity: Activity | undefined;
  /** What a message waits for before it is in the thread. */
  readonly waits: Waiting | undefined;
  readonly status: Status;
}

const promptWidth = 2;
/** In fewer rows than these a question has all of them but the draft and the status line. */
const smallRows = 12;

/** Lays the live area out: never taller than the window minus two rows; the composer and the status line always fit. */
export function layOut(view: ChatView): Omit<Frame, 'printed'> {
  const { size, band, pending, composer, queue, steering, tasks, below, notice, activity, waits, status } = view;
  const { columns } = size;
  const most = mostLiveRows(size);
  const edited = band !== undefined && isWriting(band) ? band.input : composer;
  const isAnswering = band !== undefined && takesKeys(band, composer);
  const draft = draftView(edited, { width: columns - promptWidth, maxRows: Math.max(1, Math.min(10, most - 3)) });
  const bottom: Line[] = [statusLine({ ...status, notice }, columns)];
  const shownBelow = below.slice(0, Math.max(0, most - draft.rows.length - bottom.length - 1));
  let room = most - draft.rows.length - shownBelow.length - bottom.length;
  const take = (lines: readonly Line[]) => {
    const kept = lines.slice(0, Math.max(0, room));
    room -= kept.length;
    return kept;
  };
  const isSmall = most < smallRows;
  const rule = room > 4 && !isSmall ? take([[span('─'.repeat(columns), 'dim')]]) : [];
  const entry = pending.find(({ id }) => id === band?.relayId);
  const index = pending.findIndex(({ id }) => id === band?.relayId);
  const banded =
    band === undefined || entry === undefined
      ? []
      : take(
          bandLines(entry, band, {
            index,
            count: pending.length,
            width: columns,
            place: view.place,
            takesKeys: isAnswering,
            most: band.isLarge || isSmall ? room : Math.min(room, Math.max(4, Math.floor(most / 2))),
          }),
        );
  const active = take([
    ...(waits === undefined ? [] : waitingLines(waits)),
    ...(activity === undefined ? [] : [activityLine(activity, columns)]),
  ]);
  const mostQueued = Math.min(5, Math.floor(most / 4));
  const queued = take([
    ...steering.slice(0, mostQueued).map(text => steeringLine(text, activity?.isStopping === true, columns)),
    ...queueLines(queue, mostQueued),
  ]);
  const tasked = view.showsTasks ? take(taskList(tasks)) : take(taskLine(tasks, activity !== undefined));
  const mostOpen = room - (room > 2 ? 1 : 0);
  const open = room > 0 ? view.open(mostOpen) : [];
  const isContinued = view.continuesText && open.length < mostOpen;
  const isApart = open.length === 0 ? banded.length > 0 || active.length > 0 : !isContinued;
  const gap: Line[] = room > 2 && isApart ? [[]] : [];
  const above = [...gap, ...open, ...tasked, ...active, ...banded, ...queued, ...rule];
  const prompt = draft.rows.map(
    (row, at): Line => [
      span(at === 0 ? promptOf(band) : '  ', ...(isAnswering ? (['dim'] as const) : (['cyan', 'bold'] as const))),
      ...(isAnswering ? inked(row, 'dim') : row),
    ],
  );
  return {
    live: [...above, ...prompt, ...shownBelow, ...bottom],
    // Without a cursor the composer is seen not to get the keys.
    ...(!isAnswering && {
      cursor: { line: above.length + draft.cursor.row, column: promptWidth + draft.cursor.column },
    }),
  };
}

function promptOf(band: Band | undefined): string {
  return band?.focus === 'reason' ? '✗ ' : band?.focus === 'answer' ? '? ' : '› ';
}

/** A message that the agent has not read yet, and when it will. */
function steeringLine(text: string, isStopping: boolean, width: number): Line {
  const when = isStopping ? 'sent when the turn has stopped' : 'read at the next safe point';
  const shown = oneLine(text, Math.max(8, width - when.length - 7));
  return [span('  ↪ ', 'cyan'), span(shown, 'dim'), span(` · ${when}`, 'dim')];
}

function queueLines(queue: readonly string[], most: number): Line[] {
  const lines = queue
    .slice(0, most)
    .map((text, at): Line => [span(`  ${at + 1}. `, 'cyan'), span(oneLine(text, 100), 'dim')]);
  const hidden = queue.length - lines.length;
  return hidden > 0 ? [...lines, [span(`  and ${hidden} more queued`, 'dim')]] : lines;
}

function taskLine(tasks: Tasks, isRunning: boolean): Line[] {
  const summary = tasksSummary(tasks);
  const isOver = tasks.every(({ status }) => status === 'completed');
  return summary === undefined || (isOver && !isRunning) ? [] : [[span('☰ ', 'cyan'), span(summary, 'dim')]];
}

const mostShown = 8;

/** Draws the completions around the mark, with what matched in bold; at most eight. */
export function completionLines({ items, index }: Completion, width: number): readonly Line[] {
  const first = Math.max(0, Math.min(index - Math.floor(mostShown / 2), items.length - mostShown));
  const shown = items.slice(first, first + mostShown);
  const widest = Math.min(Math.floor(width / 2), Math.max(...shown.map(({ label }) => textWidth(rowText(label)))));
  return shown.map(({ label, positions, detail }, at) => {
    const isMarked = first + at === index;
    const text = rowText(label);
    const matched = text === label ? matchedSpans(text, new Set(positions)) : [span(text)];
    const gap = ' '.repeat(Math.max(2, widest - textWidth(text) + 2));
    return cutLine(
      [
        span(isMarked ? '› ' : '  ', 'cyan'),
        ...(isMarked ? [span(text, 'bold')] : matched),
        ...(detail === undefined ? [] : [span(gap + rowText(detail), 'dim')]),
      ],
      width,
    );
  });
}

function matchedSpans(text: string, positions: ReadonlySet<number>): readonly Span[] {
  const spans: { text: string; isMatch: boolean }[] = [];
  for (const [at, character] of text.split('').entries()) {
    const isMatch = positions.has(at);
    const last = spans.at(-1);
    if (last?.isMatch === isMatch) last.text += character;
    else spans.push({ text: character, isMatch });
  }
  return spans.map(({ text: part, isMatch }) => (isMatch ? span(part, 'underline') : span(part)));
}
