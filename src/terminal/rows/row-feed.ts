import type { FactPart, ViewNode, ViewPart } from '../../projections/reading/view-node.ts';
import type { ThreadReading } from '../../projections/reading/thread-reading.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { wrapLine } from '../screen/wrap-line.ts';
import { type Line, span } from '../screen/styled-line.ts';
import {
  type FailedCall,
  groupRow,
  isFinished,
  partRow,
  retriesRow,
  type RowContext,
  shownCall,
  turnRow,
} from './part-rows.ts';
import type { Row } from './row.ts';
import { TextRows } from './text-rows.ts';
import { isGrouped, liveToolLines, objectText, type ShownCall } from './tool-row.ts';
import { durationText } from '../../projections/presentation/wording.ts';
import { oneLine, presentCall } from '../../projections/presentation/present-call.ts';

/** The current activity of an agent: when it began, or until when it waits. */
export interface Doing {
  readonly words: string;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Whether its end was asked for. */
  readonly isStopping?: boolean;
}

/** Why the model is called again, by the code of the failure. */
const retryWords: Readonly<Record<string, string>> = {
  model_rate_limit: 'Rate limited',
  model_unavailable: 'The service is unavailable',
  model_connection: 'No connection to the model',
};

/** The most characters that are drawn of a text behind a part that is not finished. */
const mostBehind = 4_000;

/**
 * Turns the reading view of a thread into rows: each part of the active branch becomes rows when it is finished, in the
 * order of the parts, once. Which rows come, and in which order, depends on the events alone and not on how often the
 * view is taken. A part that is not finished, and what follows it, is open.
 */
export class RowFeed {
  readonly #context: RowContext;
  /** The messages whose rows were returned, in their order. */
  readonly #messages: string[] = [];
  /** How many parts of the current message were returned, and their ids. */
  #place = 0;
  #returned = new Set<string>();
  #text: TextRows | undefined;
  #currentId: string | undefined;
  /** Whether the row of the end of the current message was returned. */
  #isEnded = false;
  /** Calls that may be followed by others like them. */
  #group: { readonly calls: ShownCall[]; readonly node: ViewNode; readonly kind: string } | undefined;
  /** Failures of a model call that is tried again: while that lasts they are one line that changes. */
  #retries: FailedCall | undefined;

  constructor(context: RowContext) {
    this.#context = context;
  }

  /** Returns the rows that are finished since the last call. */
  take(reading: ThreadReading): Row[] {
    this.#skipDropped(reading);
    const rows = this.#returnToBranch(reading);
    for (let node = this.#current(reading); node !== undefined; node = this.#current(reading)) {
      const isHidden = reading.hidden.has(node.id);
      this.#currentId = node.id;
      if (!isHidden) rows.push(...this.#parts(node));
      if (node.status === 'running' && !this.#isAbandoned(reading, node)) break;
      // Facts that were recorded after the end of a message have rows after that of its end.
      if (!isHidden) rows.push(...this.#endMessage(node), ...this.#parts(node));
      if (reading.nodeList.length === this.#messages.length + 1) break;
      if (!isHidden) rows.push(...this.endGroup());
      this.#messages.push(node.id);
      this.#reset();
    }
    return rows;
  }

  /** The seq of the first event whose rows were not all returned. */
  openSeq(reading: ThreadReading): number {
    const part = this.#current(reading)?.partList.at(this.#place);
    return part?.seq ?? reading.seq + 1;
  }

  /** Draws the open parts, in at most `most` lines: the newest ones. */
  open(reading: ThreadReading, width: number, now: number, most: number): Line[] {
    const lines = this.#group === undefined ? [] : [...groupRow(this.#group.calls, this.#group.node).lines(width)];
    const node = this.#current(reading);
    for (let place = this.#place; node !== undefined; place++) {
      const part = node.partList.at(place);
      if (part === undefined) break;
      const drawn = this.#openPart(part, node, width, now);
      // A line that grows beyond the window is seen to grow; other lines are cut.
      lines.push(...(part.kind === 'text' ? drawn.flatMap(line => wrapLine(line, width)) : drawn));
    }
    return lines.slice(-most);
  }

  /** Whether the open part continues a text that already has rows. */
  get continuesText(): boolean {
    return this.#group === undefined && this.#text?.hasRows === true;
  }

  /** Returns the current activity in a few words, with its start or its deadline; undefined when no message runs. */
  doing(reading: ThreadReading, now: number): Doing | undefined {
    const node = this.#current(reading);
    if (node === undefined || node.status !== 'running') return undefined;
    const part = node.partList.at(-1);
    const { times } = this.#context;
    const stop = times.stops.get(node.runId ?? '');
    if (stop !== undefined) return { words: 'Stopping', since: stop.at, isStopping: true };
    const relay = part?.kind === 'tool' ? part.relays.find(({ status }) => status === 'pending') : part;
    if ((part?.kind === 'tool' && part.status === 'waiting') || (part?.kind === 'relay' && part.status === 'pending'))
      return { words: 'Waiting for your answer', since: times.getSpan(relay?.id ?? '')?.from ?? times.lastAt };
    if (isRetry(part) && times.nextTryAt !== undefined && times.nextTryAt > now)
      return { words: retryWords[part.event.code ?? ''] ?? 'The call failed', until: times.nextTryAt };
    if (part?.kind === 'tool' && !isFinished(part)) {
      const call = presentCall(part, { agentId: node.agentId, cwd: this.#context.cwd });
      return { words: `${call.verb} ${oneLine(objectText(call), 40)}`, since: times.getSpan(part.id)?.from };
    }
    if (part?.kind === 'text' || part?.kind === 'reasoning')
      return { words: part.kind === 'text' ? 'Writing' : 'Thinking', since: times.getSpan(part.id)?.from };
    return { words: 'Waiting for the model', since: isRetry(part) ? times.nextTryAt : times.lastAt };
  }

  #current({ nodeList }: ThreadReading): ViewNode | undefined {
    return nodeList.at(this.#messages.length);
  }

  /** Another message follows a run that has no end: its process was lost. */
  #isAbandoned({ nodeList, running }: ThreadReading, { runId }: ViewNode): boolean {
    return nodeList.length > this.#messages.length + 1 && !running.some(run => run.runId === runId);
  }

  #parts(node: ViewNode): Row[] {
    const rows: Row[] = [];
    this.#findPlace(node, rows);
    for (;;) {
      const part = node.partList.at(this.#place);
      if (part === undefined || this.#isLate(part, node)) return rows;
      const isLast = this.#place === node.partList.length - 1;
      const isOver = isFinished(part) || !isLast || node.status !== 'running';
      // A text without words separates nothing.
      if (part.kind === 'text' && part.text.trim() !== '')
        rows.push(...this.endGroup(), ...this.#textRows(part, node, isOver));
      if (
        !isOver ||
        (part.kind !== 'text' && part.kind !== 'reasoning' && !isFinished(part) && node.status === 'running')
      )
        return rows;
      if (part.kind !== 'text') rows.push(...this.#finish(part, node));
      this.#text = undefined;
      this.#returned.add(part.id);
      this.#place++;
    }
  }

  /**
   * Finds the next part to return after a superseded attempt or early parts were dropped; adds a notice when a text was
   * cut off.
   */
  #findPlace(node: ViewNode, rows: Row[]): void {
    const { partList } = node;
    const isReturned = (at: number) => this.#returned.has(partList.at(at)?.id ?? '');
    if (this.#place > 0 && !isReturned(this.#place - 1)) {
      this.#place = 0;
      while (this.#place < partList.length && isReturned(this.#place)) this.#place++;
    }
    if (this.#text === undefined || partList.at(this.#place)?.id === this.#text.id) return;
    this.#text = undefined;
    rows.push(
      notice(`${node.id}:again:${this.#place}`, node.id, 'The answer above was cut off: the model tries again.'),
    );
  }

  #textRows(part: ViewPart & { readonly kind: 'text' }, node: ViewNode, isWhole: boolean): Row[] {
    this.#text ??= new TextRows(part.id, node.id);
    return this.#text.take(part.text, isWhole);
  }

  #finish(part: ViewPart, node: ViewNode): Row[] {
    if (isRetry(part)) {
      const before = this.#retries === undefined ? this.endGroup() : [];
      this.#retries = { last: part, count: (this.#retries?.count ?? 0) + 1, node };
      return before;
    }
    if (part.kind === 'tool') {
      const call = shownCall(part, node, this.#context);
      const { kind } = presentCall(part, call.place);
      if (isGrouped(call)) {
        const before = this.#group?.kind === kind ? [] : this.endGroup();
        this.#group ??= { calls: [], node, kind };
        this.#group.calls.push(call);
        return before;
      }
    }
    const row = partRow(part, node, this.#context);
    return row === undefined ? [] : [...this.endGroup(), row];
  }

  /** Ends the group of similar calls, or the series of retries, and returns its row. */
  endGroup(isMessageOver = false): Row[] {
    const [group, retries] = [this.#group, this.#retries];
    [this.#group, this.#retries] = [undefined, undefined];
    if (retries !== undefined) return [retriesRow(retries, !isMessageOver)];
    return group === undefined ? [] : [groupRow(group.calls, group.node)];
  }

  /** Whether a fact was noted after the end of its message, which has no row yet. */
  #isLate(part: ViewPart, { runId = '' }: ViewNode): boolean {
    return (
      !this.#isEnded &&
      part.kind === 'fact' &&
      (part.event.seq ?? 0) > (this.#context.times.ends.get(runId) ?? Number.POSITIVE_INFINITY)
    );
  }

  #endMessage(node: ViewNode): Row[] {
    if (this.#isEnded) return [];
    this.#isEnded = true;
    const rows = this.endGroup(true);
    const end = node.role === 'assistant' ? turnRow(node, this.#context) : undefined;
    this.#text = undefined;
    return end === undefined ? rows : [...rows, end];
  }

  #openPart(part: ViewPart, node: ViewNode, width: number, now: number): readonly Line[] {
    switch (part.kind) {
      case 'text':
        return this.#text?.id === part.id
          ? this.#text.open(part.text, width)
          : new TextRows(part.id, node.id).open(part.text.slice(-mostBehind), width);
      case 'tool':
        return liveToolLines(shownCall(part, node, this.#context), now, 4);
      case 'reasoning': {
        const from = this.#context.times.getSpan(part.id)?.from;
        const seconds = from === undefined ? '' : ` ${durationText(Math.max(0, now - from))}`;
        return [
          [
            span(`∴ Thinking${seconds}: `, 'dim'),
            span(oneLine(part.text.trim().split('\n').at(-1) ?? '', 100), 'dim', 'italic'),
          ],
        ];
      }
      default:
        return partRow(part, node, this.#context)?.lines(width) ?? [];
    }
  }

  #reset(): void {
    [this.#place, this.#returned, this.#text, this.#group] = [0, new Set(), undefined, undefined];
    [this.#isEnded, this.#currentId, this.#retries] = [false, undefined, undefined];
  }

  /** Earlier messages may be dropped from the reading, or added to it: those that were returned are found by their ids. */
  #skipDropped({ nodeList }: ThreadReading): void {
    const [first] = this.#messages;
    if (first === undefined || nodeList.at(0)?.id === first) return;
    const known = new Map([...this.#messages, this.#currentId ?? ''].map((id, at) => [id, at]));
    for (let at = 0; at < nodeList.length; at++) {
      const place = known.get(nodeList.at(at)?.id ?? '');
      if (place === undefined) continue;
      const before = Array.from({ length: at }, (_, index) => nodeList.at(index)?.id ?? '');
      this.#messages.splice(0, place, ...before);
      return;
    }
  }

  /** After an edit or a rewind the active branch is another one: what was printed stays, a line marks the change. */
  #returnToBranch({ nodeList }: ThreadReading): Row[] {
    const last = this.#messages.length;
    if (this.#currentId === undefined || nodeList.at(last)?.id === this.#currentId) return [];
    let common = 0;
    while (common < last && nodeList.at(common)?.id === this.#messages[common]) common++;
    this.#messages.length = common;
    this.#reset();
    const before = oneLine(nodeList.at(common - 1)?.text ?? '', 60);
    const words = common === 0 ? 'From the start, another way:' : `Another way, after: ${before}`;
    return [notice(`branch:${common}:${nodeList.at(common)?.id ?? ''}`, nodeList.at(common)?.id ?? '', words)];
  }
}

function isRetry(part: ViewPart | undefined): part is FactPart & { readonly event: EventOf<'warning'> } {
  return part?.kind === 'fact' && part.event.type === 'warning' && part.event.retryAfterMs !== undefined;
}

function notice(id: string, messageId: string, text: string): Row {
  const line: Line = [span(`↩ ${text}`, 'yellow')];
  return { id, kind: 'notice', messageId, lines: () => [line] };
}
