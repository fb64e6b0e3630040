import type { EventOf, LoggedEvent } from '../../../src/events/vocabulary.ts';
import type { GraphNode } from '../../../src/projections/thread-graph/thread-graph.ts';
import { type ModelCall, projectModelCall } from '../../../src/projections/model-call.ts';
import { totals, type TotalsView } from '../../../src/projections/totals.ts';
import { Timeline } from '../../../src/projections/timeline/timeline.ts';
import { type TimeSpan, getTimeSpan } from '../../../src/projections/timeline/time-scale.ts';
import type { TimelineStep } from '../../../src/projections/timeline/timeline-step.ts';
import {
  type GraphDirection,
  type GraphQuery,
  GraphHistory,
  type GraphOverview,
  type GraphPart,
} from './graph-history.ts';
import { defaultActive } from '../../../src/graph/conversation/active.ts';
import { projectThread } from '../../../src/projections/reading/project-thread.ts';
import { type FileGroup, fileGroups } from '../changes/file-groups.ts';
import { type Moment, Moments } from './moments.ts';
import { type PlaybackTrack, buildTrack } from './playback-track.ts';
import { type ReplSession, buildReplSession } from './repl-session.ts';
import { shortened } from './shortened.ts';
import { buildSummary, type ThreadSummary } from './thread-summary.ts';

/** Some rows of a timeline, with the times of the whole. */
export interface TimelinePart {
  readonly first: number;
  readonly rows: readonly TimelineStep[];
  readonly count: number;
  readonly span: TimeSpan;
}

/** The requested rows: a number of them, from a given row. */
export interface TimelineQuery {
  readonly first: number;
  readonly count: number;
}

/**
 * All events of a thread with the views that need them. It runs in a worker and returns small results, however long the
 * thread is.
 */
export class ThreadHistory {
  readonly #events: LoggedEvent[] = [];
  readonly #timeline = new Timeline();
  readonly #graph = new GraphHistory(this.#events);
  readonly #moments = new Moments(this.#events);
  #timed = 0;
  #totals = totals.initial;
  #counted = 0;
  #folder: EventOf<'folder_changed'> | undefined;
  #span: { readonly at: number; readonly value: TimeSpan } | undefined;

  /** Adds the next event. */
  add(event: LoggedEvent): void {
    this.#events.push(event);
    if (event.type === 'folder_changed') this.#folder = event;
  }

  /** The seq of the newest event. */
  get seq(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }

  /** The event of a seq, long values shortened. */
  event(seq: number): unknown {
    return shortened(this.#at(seq));
  }

  /** The whole JSON of an event. */
  eventText(seq: number): string {
    return JSON.stringify(this.#at(seq), null, 2);
  }

  /** The model call that an event belongs to, long values shortened. */
  modelCall(seq: number): ModelCall | undefined {
    const call = projectModelCall(this.#events, seq);
    if (call === undefined) return undefined;
    const { request, report, answer } = call;
    return { ...call, ...(shortened({ request, report, answer }) as Pick<ModelCall, 'request' | 'answer'>) };
  }

  /** The whole JSON of what was sent in the model call that an event belongs to. */
  requestText(seq: number): string {
    return JSON.stringify(projectModelCall(this.#events, seq)?.request, null, 2);
  }

  /** Some rows of the timeline. */
  timeline({ first, count }: TimelineQuery): TimelinePart {
    const steps = this.#steps();
    const from = Math.max(0, Math.min(first, steps.length - 1));
    return { first: from, rows: steps.slice(from, from + count), count: steps.length, span: this.#getSpan(steps) };
  }

  /** The row of the timeline that an event belongs to: the last that began before it, or with it. */
  rowAt(seq: number): number {
    const steps = this.#steps();
    for (const is of [(step: TimelineStep) => step.seq === seq, (step: TimelineStep) => step.endSeq === seq]) {
      const row = steps.findLastIndex(is);
      if (row >= 0) return row;
    }
    return steps.findLastIndex(step => step.seq <= seq);
  }

  /** The part of the drawing that is in view. */
  graph(query: GraphQuery): GraphPart {
    return this.#graph.part(query);
  }

  /** Where all nodes of the drawing are. */
  graphOverview(detail: GraphQuery['detail']): GraphOverview {
    return this.#graph.overview(detail);
  }

  /** The node that an event belongs to. */
  graphNodeAt(query: { detail: GraphQuery['detail']; seq: number }): GraphNode | undefined {
    return this.#graph.nodeAt(query.detail, query.seq);
  }

  /** The next node in a direction. */
  graphNeighbour(query: {
    detail: GraphQuery['detail'];
    id: string;
    direction: GraphDirection;
  }): GraphNode | undefined {
    return this.#graph.neighbour(query.detail, query.id, query.direction);
  }

  /** The nodes that have a text in them, from top to bottom. */
  graphSearch(query: { detail: GraphQuery['detail']; text: string }): readonly GraphNode[] {
    return this.#graph.search(query.detail, query.text);
  }

  /** Returns the code executions and the runs that wrote the code, with their cost. */
  repl(): ReplSession {
    return buildReplSession(this.#graph.conversation(), this.#totalsNow());
  }

  /** Returns the outcome of the thread, to compare it with others. */
  summary(): ThreadSummary {
    return buildSummary(this.#graph.conversation(), this.#steps(), { totals: this.#totalsNow(), folder: this.#folder });
  }

  /** The files that calls of the thread changed, as far as the calls recorded it. */
  changes(): readonly FileGroup[] {
    const conversation = this.#graph.conversation();
    return fileGroups(projectThread(conversation, defaultActive(conversation)));
  }

  /** Returns the times of the events, for playback. */
  track(): PlaybackTrack {
    return buildTrack(this.#events);
  }

  /** Returns the conversation as it was right after an event. */
  moment(seq: number): Moment {
    return this.#moments.at(seq);
  }

  #totalsNow(): TotalsView {
    for (; this.#counted < this.#events.length; this.#counted++)
      this.#totals = totals.step(this.#totals, this.#events[this.#counted] as LoggedEvent);
    return totals.view(this.#totals);
  }

  #steps(): readonly TimelineStep[] {
    for (; this.#timed < this.#events.length; this.#timed++)
      this.#timeline.take(this.#events[this.#timed] as LoggedEvent);
    return this.#timeline.steps;
  }

  #getSpan(steps: readonly TimelineStep[]): TimeSpan {
    if (this.#span?.at !== this.#timed) this.#span = { at: this.#timed, value: getTimeSpan(steps) };
    return this.#span.value;
  }

  #at(seq: number): LoggedEvent | undefined {
    return this.#events[seq - (this.#events[0]?.seq ?? 1)];
  }
}
