import type { EventOf } from '../events/index.ts';
import type { Item, ProseItem, RelayItem, ReplItem, Run, ToolItem } from './thread-view-item.ts';

type Logged<Event> = Event & { readonly seq: number };

const keptReports = 200;

/** The run with the step begun; what an earlier attempt at the same step wrote, and did not start, is gone. */
export function beginStep(run: Run, step: number): Run {
  const superseded = (item: Item) =>
    item.step === step &&
    (item.kind === 'text' || item.kind === 'reasoning' || (item.kind === 'tool' && !item.started && !item.output));
  return { ...run, step, items: run.items.some(superseded) ? run.items.filter(item => !superseded(item)) : run.items };
}

/** The run with one more item. */
export function addItem(run: Run, item: Item): Run {
  return { ...run, items: [...run.items, item] };
}

/** The place of a new item: its seq and the run's step. */
export function place(run: Run, event: { readonly seq: number }): Pick<Item, 'seq' | 'step'> {
  return { seq: event.seq, ...(run.step !== undefined && { step: run.step }) };
}

/** The run with a fragment added to the text it belongs to, which it begins when there is none in this step. */
export function addFragment(run: Run, event: Logged<EventOf<'text'> | EventOf<'reasoning'>>): Run {
  const belongs = (item: Item): item is ProseItem =>
    item.kind === event.type && item.id === event.id && item.step === run.step;
  return (
    changeItem(run, belongs, item => ({ ...item, content: item.content + event.content })) ??
    addItem(run, { kind: event.type, ...place(run, event), id: event.id, content: event.content })
  );
}

/** The run with its tool call changed, or undefined when it has no such call. */
export function changeTool(run: Run, id: string, change: (item: ToolItem) => ToolItem): Run | undefined {
  return changeItem(run, (item): item is ToolItem => item.kind === 'tool' && item.id === id, change);
}

/** The run with its tool call changed, which is begun when there is none. */
export function upsertTool(
  run: Run,
  event: Logged<{ id: string; name?: string | undefined }>,
  change: (item: ToolItem) => ToolItem,
): Run {
  const { id, name = '' } = event;
  const fresh = (): ToolItem => ({
    kind: 'tool',
    ...place(run, event),
    id,
    name,
    inputText: '',
    started: false,
    progress: [],
  });
  const named = (item: ToolItem): ToolItem => change(name === '' || item.name === name ? item : { ...item, name });
  return changeTool(run, id, named) ?? addItem(run, named(fresh()));
}

/** The tool call with a report added, the oldest given up beyond the limit. */
export function addReport(item: ToolItem, content: unknown): ToolItem {
  return { ...item, progress: [...item.progress, content].slice(-keptReports) };
}

/** The run with its relay answered, or undefined when it did not ask it; a second answer changes nothing. */
export function resolveRelay(run: Run, resolved: EventOf<'relay_resolved'>): Run | undefined {
  const asks = (item: Item | undefined): item is RelayItem => item?.kind === 'relay' && item.id === resolved.relayId;
  const answered = (item: RelayItem): RelayItem => (item.resolved ? item : { ...item, resolved });
  return changeItem(
    run,
    (item): item is RelayItem | ToolItem => asks(item) || (item.kind === 'tool' && asks(item.relay)),
    item => (item.kind === 'relay' ? answered(item) : { ...item, ...(item.relay && { relay: answered(item.relay) }) }),
  );
}

/** The run with an execution changed, or as it is when it has none of that id. */
export function changeExecution(run: Run, id: string, change: (item: ReplItem) => ReplItem): Run {
  return changeItem(run, (item): item is ReplItem => item.kind === 'repl' && item.id === id, change) ?? run;
}

function changeItem<Kind extends Item>(
  run: Run,
  matches: (item: Item) => item is Kind,
  change: (item: Kind) => Item,
): Run | undefined {
  const index = run.items.findLastIndex(matches);
  const item = run.items[index];
  return item === undefined ? undefined : { ...run, items: run.items.with(index, change(item as Kind)) };
}
