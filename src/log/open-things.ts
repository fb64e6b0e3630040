import { defined } from '../base/defined.ts';
import type { EventOf, LoggedEvent } from '../events/vocabulary.ts';

/** The kinds of open things in a thread: an unfinished run, an unanswered relay, a queued message. */
export const openKinds = ['run', 'relay', 'message'] as const;

export type OpenKind = (typeof openKinds)[number];

/** The requested agent, parent and model of a run. */
export type RunRequested = Pick<EventOf<'run_requested'>, 'agentId' | 'parentId' | 'model'>;

/** Something in a thread that is not finished. */
export interface OpenThing {
  readonly kind: OpenKind;
  readonly id: string;
  /** The run itself, the run that asks, or the run that the message waits for. */
  readonly runId?: string;
  /** The event that opened it. */
  readonly seq: number;
  /** Of a run: the requested agent, parent and model. */
  readonly request?: RunRequested;
  /** Of a run: the owner of the lease under which it was requested or resumed. */
  readonly owner?: string;
}

/** Whether something of a kind is open in a thread. */
export function hasOpen({ open = [] }: { readonly open?: readonly OpenThing[] }, kind: OpenKind): boolean {
  return open.some(thing => thing.kind === kind);
}

/** The changes that events make to the index of open things; things are closed before others are opened. */
export interface OpenChanges {
  readonly closed: readonly Pick<OpenThing, 'kind' | 'id'>[];
  /** The runs that ended: they and the relays they asked are closed. */
  readonly ended: readonly string[];
  /** One that is open already stays as it is. */
  readonly opened: readonly OpenThing[];
}

/** Returns what events open and close, each by itself; undefined when they change nothing. */
export function openChanges(events: readonly LoggedEvent[]): OpenChanges | undefined {
  let changes: { closed: Pick<OpenThing, 'kind' | 'id'>[]; ended: string[]; opened: OpenThing[] } | undefined;
  const change = () => (changes ??= { closed: [], ended: [], opened: [] });
  const open = (thing: OpenThing) => {
    const { opened } = change();
    if (!opened.some(({ kind, id }) => kind === thing.kind && id === thing.id)) opened.push(thing);
  };
  const close = (kind: OpenKind, id: string) => {
    const all = change();
    all.closed.push({ kind, id });
    all.opened = all.opened.filter(thing => thing.kind !== kind || thing.id !== id);
  };
  for (const event of events)
    switch (event.type) {
      case 'run_requested': {
        const { runId, agentId, parentId, model } = event;
        open({ kind: 'run', id: runId, runId, seq: event.seq, request: { agentId, parentId, ...defined({ model }) } });
        break;
      }
      case 'relay':
        open({ kind: 'relay', id: event.id, runId: event.runId, seq: event.seq });
        break;
      case 'message_queued': {
        const runId = event.waitsFor !== undefined && { runId: event.waitsFor };
        open({ kind: 'message', id: event.id, ...runId, seq: event.seq });
        break;
      }
      case 'relay_resolved':
        close('relay', event.relayId);
        break;
      case 'message_withdrawn':
        close('message', event.id);
        break;
      case 'user':
        if (event.id !== undefined) close('message', event.id);
        break;
      case 'harness_end': {
        const all = change();
        all.ended.push(event.runId);
        all.opened = all.opened.filter(({ kind, runId }) => kind === 'message' || runId !== event.runId);
        break;
      }
      default:
    }
  return changes;
}

/** Returns the open things after changes; runs that they open get the owner. */
export function openAfter(
  open: readonly OpenThing[],
  { closed, ended, opened }: OpenChanges,
  owner?: string,
): readonly OpenThing[] {
  const left = open.filter(
    ({ kind, id, runId }) =>
      !closed.some(thing => thing.kind === kind && thing.id === id) &&
      (kind === 'message' || runId === undefined || !ended.includes(runId)),
  );
  for (const thing of opened)
    if (!left.some(({ kind, id }) => kind === thing.kind && id === thing.id))
      left.push(thing.kind === 'run' && owner !== undefined ? { ...thing, owner } : thing);
  return left;
}

/** Returns the open things after a run got another owner. */
export function openOwnedBy(open: readonly OpenThing[], runId: string, owner: string): readonly OpenThing[] {
  return open.map(thing => (thing.kind === 'run' && thing.id === runId ? { ...thing, owner } : thing));
}

type Row = readonly [
  kind: OpenKind,
  id: string,
  run: string | null,
  seq: number,
  request: string | null,
  owner: string | null,
];

/** The open things of rows in tables, as JSON: ids and requests are JSON themselves, because events may have any. */
export function openThingsIn(text: string): OpenThing[] {
  return (JSON.parse(text) as Row[]).map(([kind, id, run, seq, request, owner]) => ({
    kind,
    id: JSON.parse(id) as string,
    ...(run !== null && { runId: JSON.parse(run) as string }),
    seq,
    ...(request !== null && { request: JSON.parse(request) as RunRequested }),
    ...(owner !== null && { owner }),
  }));
}
