import type { QueuedItem } from './thread-queue.ts';
import { modelName } from '../../control/harness/settings/models.ts';
import { rowText } from '../../base/terminal-text.ts';
import type { Completion } from '../../projections/completion/completion.ts';
import { oneLine } from '../../projections/presentation/present-call.ts';
import { draftView } from '../composer/draft-layout.ts';
import { taskList, tasksSummary } from '../rows/fact-lines.ts';
import type { Doing } from '../rows/row-feed.ts';
import { type Frame, mostLiveRows } from '../screen/inline-renderer.ts';
import { inked, type Line, type Span, span } from '../screen/styled-line.ts';
import { textWidth } from '../screen/text-width.ts';
import { cutLine } from '../screen/wrap-line.ts';
import type { Chat } from './chat.ts';
import { type Band, isWriting } from './relay-band.ts';
import { bandLines } from './relay-lines.ts';
import { activityLine, statusLine, waitingLines } from './status-line.ts';

/** A message whose run takes longer to begin has a line, in milliseconds. */
const slowMs = 300;
const promptWidth = 2;
/** In fewer rows than these a question has all of them but the draft and the status line. */
const smallRows = 12;

/** Lays the live area out: never taller than the window minus two rows; the composer and the status line always fit. */
export function drawChat(chat: Chat): Omit<Frame, 'printed'> {
  const { threads, options, band, draft, queue, screen, isAnswering } = chat;
  const { follower, pending } = threads;
  const { size } = screen.io;
  const { columns } = size;
  const most = mostLiveRows(size);
  const now = options.clock.now();
  const reading = follower?.reading;
  const doing = reading && follower?.rows.doing(reading, now);
  const isEdited = band !== undefined && isWriting(band);
  const maxRows = Math.max(1, Math.min(10, most - 3));
  const view = draftView(isEdited ? band.input : draft.composer, { width: columns - promptWidth, maxRows });
  const bottom = chatStatus(chat, doing);
  const below = linesBelow(chat).slice(0, Math.max(0, most - view.rows.length - 2));
  let room = most - view.rows.length - below.length - 1;
  const take = (lines: readonly Line[]) => {
    const kept = lines.slice(0, Math.max(0, room));
    room -= kept.length;
    return kept;
  };
  const isSmall = most < smallRows;
  const rule = room > 4 && !isSmall ? take([[span('─'.repeat(columns), 'dim')]]) : [];
  const mostOfBand = band?.isLarge || isSmall ? room : Math.min(room, Math.max(4, Math.floor(most / 2)));
  const banded = take(askedLines(chat, mostOfBand));
  const isStoppable = doing?.isStopping !== true && !isAnswering && !isEdited;
  const lastAt = pending.length > 0 ? undefined : follower?.times.lastAt;
  const active = take([
    ...unsentLines(chat, now),
    ...(doing === undefined ? [] : [activityLine({ ...doing, lastAt, now, isStoppable }, columns)]),
  ]);
  const mostQueued = Math.min(5, Math.floor(most / 4));
  const queued = take([
    ...queue.steering.slice(0, mostQueued).map(text => steeringLine(text, doing?.isStopping === true, columns)),
    ...queueLines(queue.items, mostQueued),
  ]);
  const tasks = reading?.tasks?.list ?? [];
  const tasked = take(chat.showsTasks ? taskList(tasks) : taskLine(tasks, doing !== undefined));
  const mostOpen = room - (room > 2 ? 1 : 0);
  const open = room > 0 && follower !== undefined ? follower.rows.open(follower.reading, columns, now, mostOpen) : [];
  const isContinued = follower?.rows.continuesText === true && open.length < mostOpen;
  const isApart = open.length === 0 ? banded.length > 0 || active.length > 0 : !isContinued;
  const gap: Line[] = room > 2 && isApart ? [[]] : [];
  const above = [...gap, ...open, ...tasked, ...active, ...banded, ...queued, ...rule];
  const prompt = view.rows.map(
    (row, at): Line => [
      span(at === 0 ? renderPrompt(band) : '  ', ...(isAnswering ? (['dim'] as const) : (['cyan', 'bold'] as const))),
      ...(isAnswering ? inked(row, 'dim') : row),
    ],
  );
  return {
    live: [...above, ...prompt, ...below, bottom],
    // Without a cursor the composer is seen not to get the keys.
    ...(!isAnswering && {
      cursor: { line: above.length + view.cursor.row, column: promptWidth + view.cursor.column },
    }),
  };
}

/** Draws the question that waits, in at most `most` lines. */
function askedLines({ threads, band, asked, place, screen, isAnswering }: Chat, most: number): readonly Line[] {
  const { pending } = threads;
  if (band === undefined || asked === undefined) return [];
  const { columns: width } = screen.io.size;
  const index = pending.findIndex(({ id }) => id === asked.id);
  return bandLines(asked, band, { index, count: pending.length, width, place, takesKeys: isAnswering, most });
}

function chatStatus({ threads, notice, options, screen }: Chat, doing: Doing | undefined): Line {
  const { agent, mode, modelId, pending, background, isRunning, follower } = threads;
  const { lastInput, lastModel = '' } = follower?.times ?? {};
  const contextSize = options.contextSize?.(modelId || lastModel);
  const isKnown = contextSize !== undefined && lastInput !== undefined;
  const status = {
    agent: agent.id,
    mode: mode.name,
    model: modelId === '' ? lastModel : modelName(modelId),
    contextLeft: isKnown ? Math.max(0, 1 - lastInput / contextSize) : undefined,
    cost: follower?.reading.usage.cost,
    waiting: pending.length,
    background: background.length,
    hint: isRunning && doing?.isStopping !== true ? 'Enter steers · Tab queues' : '',
    notice,
  };
  return statusLine(status, screen.io.size.columns);
}

/** Draws what a message waits for, when that takes long. */
function unsentLines({ threads: { unsent } }: Chat, now: number): Line[] {
  if (unsent === undefined || now - unsent.since < slowMs) return [];
  const { text, since, isStored } = unsent;
  return waitingLines({ ms: now - since, now, ...(!isStored && { text }) });
}

/** Draws the open list, else the completions. */
function linesBelow({ screen, list, draft }: Chat): readonly Line[] {
  const { columns, rows } = screen.io.size;
  if (list.isOpen) return list.lines(columns, Math.max(3, Math.min(16, Math.floor(rows / 2))));
  return draft.completion === undefined ? [] : completionLines(draft.completion, columns);
}

function renderPrompt(band: Band | undefined): string {
  return band?.focus === 'reason' ? '✗ ' : band?.focus === 'answer' ? '? ' : '› ';
}

/** A message that the agent has not read yet, and when it will. */
function steeringLine(text: string, isStopping: boolean, width: number): Line {
  const when = isStopping ? 'sent when the turn has stopped' : 'read at the next safe point';
  const shown = oneLine(text, Math.max(8, width - when.length - 7));
  return [span('  ↪ ', 'cyan'), span(shown, 'dim'), span(` · ${when}`, 'dim')];
}

function queueLines(queue: readonly QueuedItem[], most: number): Line[] {
  const lines = queue
    .slice(0, most)
    .map(({ text }, at): Line => [span(`  ${at + 1}. `, 'cyan'), span(oneLine(text, 100), 'dim')]);
  const hidden = queue.length - lines.length;
  return hidden > 0 ? [...lines, [span(`  and ${hidden} more queued`, 'dim')]] : lines;
}

function taskLine(tasks: Parameters<typeof tasksSummary>[0], isRunning: boolean): Line[] {
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
