import type { LoggedEvent } from '../../../src/events/index.ts';
import { threadReading, type ThreadReadingState } from '../../../src/projections/reading/thread-reading.ts';
import type { ViewNode, ViewPart } from '../../../src/projections/reading/view-node.ts';

/** One thing that a person saw, in plain form. */
export interface SeenPart {
  readonly id: string;
  readonly kind: ViewPart['kind'];
  readonly who: string;
  readonly label: string;
  readonly text: string;
  readonly status: string;
}

/** What a person saw at one moment: the newest parts of the conversation. */
export interface Moment {
  readonly seq: number;
  readonly type: string;
  readonly ts: string;
  readonly parts: readonly SeenPart[];
  readonly running: number;
  readonly pending: number;
  readonly tokens: number;
}

/** A state is kept for every so many events: going back reads on from the one before. */
const everyEvents = 64;
const mostNodes = 6;
const mostParts = 24;
const mostText = 1200;

/** What was seen after each event; the states of a reading never change, so that every earlier one can be shown. */
export class Moments {
  readonly #events: readonly LoggedEvent[];
  readonly #kept: ThreadReadingState[] = [threadReading.initial];
  #last: { readonly index: number; readonly state: ThreadReadingState } = { index: 0, state: threadReading.initial };

  constructor(events: readonly LoggedEvent[]) {
    this.#events = events;
  }

  at(seq: number): Moment {
    const first = this.#events[0]?.seq ?? 1;
    const count = Math.max(0, Math.min(this.#events.length, seq - first + 1));
    const state = this.#stateAfter(count);
    const event = this.#events[count - 1];
    const { nodeList, running, pending, usage } = threadReading.view(state);
    const nodes = nodeList.slice(Math.max(0, nodeList.length - mostNodes));
    return {
      seq: event?.seq ?? 0,
      type: event?.type ?? '',
      ts: event?.ts ?? '',
      parts: nodes.flatMap(partsOf).slice(-mostParts),
      running: running.length,
      pending: pending.length,
      tokens: usage.inputTokens + usage.outputTokens,
    };
  }

  #stateAfter(count: number): ThreadReadingState {
    const slot = Math.min(Math.floor(count / everyEvents), this.#kept.length - 1);
    const isAhead = this.#last.index <= count && this.#last.index >= slot * everyEvents;
    let { index, state } = isAhead
      ? this.#last
      : { index: slot * everyEvents, state: this.#kept[slot] ?? threadReading.initial };
    for (; index < count; ) {
      state = threadReading.step(state, this.#events[index] as LoggedEvent);
      index++;
      if (index === this.#kept.length * everyEvents) this.#kept.push(state);
    }
    this.#last = { index, state };
    return state;
  }
}

function partsOf({ id, role, agentId, partList }: ViewNode): SeenPart[] {
  const who = role === 'user' ? 'You' : (agentId ?? role);
  return partList.slice(Math.max(0, partList.length - mostParts)).flatMap(part => seenPart(part, who, id) ?? []);
}

function seenPart(part: ViewPart, who: string, nodeId: string): SeenPart | undefined {
  const base = { id: `${nodeId} ${part.id}`, kind: part.kind, who, label: '', text: '', status: '' };
  if (part.kind === 'text' || part.kind === 'reasoning') return { ...base, text: tail(part.text) };
  if (part.kind === 'user') return { ...base, text: tail(typeof part.content === 'string' ? part.content : '') };
  if (part.kind === 'tool') {
    const input = part.input === undefined ? part.inputText : JSON.stringify(part.input);
    return { ...base, label: part.name, text: input.slice(0, 300), status: part.status };
  }
  if (part.kind === 'repl') return { ...base, label: 'code', text: tail(part.code ?? '') };
  if (part.kind === 'relay') return { ...base, label: part.relay.relayKind, status: part.status };
  if (part.kind === 'run') return { ...base, label: part.runs.map(({ agentId = 'agent' }) => agentId).join(', ') };
  return 'message' in part.event && typeof part.event.message === 'string'
    ? { ...base, label: part.event.type, text: tail(part.event.message) }
    : undefined;
}

/** The end of a text: what is written there is what a person looks at. */
function tail(text: string): string {
  return text.length <= mostText ? text : `…${text.slice(-mostText)}`;
}
