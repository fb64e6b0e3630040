import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../test/support/random-conversations.ts';
import { eventStream } from '../../test/support/random-events.ts';
import type { AgentEvent, LoggedEvent } from '../events/index.ts';
import {
  type Conversation,
  createConversation,
  defaultActive,
  getBlocks,
  getChunks,
  getMessages,
  getRun,
  reduceConversation,
} from '../graph/index.ts';
import { type BranchEntry, type BranchViewState, branchView } from './branch-view.ts';
import { threadView } from './thread-view.ts';

const logged = (events: readonly AgentEvent[]): LoggedEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, ts: '2026-01-01T00:00:00.000Z' }));
const fold = (events: readonly LoggedEvent[], from = branchView.initial) => events.reduce(branchView.step, from);
const viewOf = (...events: AgentEvent[]) => branchView.view(fold(logged(events)));

const user = (runId: string, content: string, parentMessageId?: string): AgentEvent => ({
  type: 'user',
  runId,
  content,
  ...(parentMessageId !== undefined && { parentMessageId }),
});
const start = (runId: string, parentId: string): AgentEvent => ({
  type: 'harness_start',
  runId,
  agentId: 'demo',
  parentId,
});
const end = (runId: string): AgentEvent => ({ type: 'harness_end', runId, agentId: 'demo' });
const text = (runId: string, content: string): AgentEvent => ({ type: 'text', runId, id: 't', content });
const run = (runId: string, asked: string, ...inside: AgentEvent[]) => [
  start(runId, `${asked}:user`),
  ...inside,
  text(runId, `${runId} answers`),
  end(runId),
];
const select = (nodeId: string): AgentEvent => ({ type: 'branch_selected', runId: 'control', nodeId });
const talk = [user('u1', 'One'), ...run('r1', 'u1'), user('u2', 'Two'), ...run('r2', 'u2')];

/** The entries in short: what is in them, and which version of how many they are. */
const brief = (entries: readonly BranchEntry[]): string[] =>
  entries.map(entry => {
    if (entry.kind === 'notice') return entry.message;
    if (entry.kind === 'tasks') return 'tasks';
    const { siblings } = entry;
    const version = siblings ? ` ${siblings.index + 1}/${siblings.ids.length}` : '';
    if (entry.kind === 'user') return `${entry.content as string}${version}`;
    const said = entry.run.items.map(item => (item.kind === 'text' ? item.content : item.kind));
    return `${said.join(', ')}${version}`;
  });
const shown = (...events: AgentEvent[]) => brief(viewOf(...events).entries);

describe('the active branch', () => {
  it('is the whole thread as long as there is only one', () => {
    const { entries, ...view } = viewOf(...talk);
    const { entries: plain, ...whole } = threadView.view(logged(talk).reduce(threadView.step, threadView.initial));
    expect(view).toEqual(whole);
    expect(entries).toEqual([
      { ...plain[0], messageId: 'u1:user' },
      { ...plain[1], messageId: 'r1', answers: 'u1:user' },
      { ...plain[2], messageId: 'u2:user' },
      { ...plain[3], messageId: 'r2', answers: 'u2:user' },
    ]);
  });

  it('after an edit has what was said instead, and nothing of what came after the original', () => {
    const edited = [...talk, user('u2b', 'Else', 'r1')];
    expect(shown(...edited)).toEqual(['One', 'r1 answers', 'Else 2/2']);
    expect(shown(...edited, ...run('r2b', 'u2b'))).toEqual(['One', 'r1 answers', 'Else 2/2', 'r2b answers']);
    expect(viewOf(...edited).entries.at(-1)).toMatchObject({
      messageId: 'u2b:user',
      siblings: { ids: ['u2:user', 'u2b:user'], index: 1 },
    });
  });

  it('after an edit of the first message begins with it', () => {
    expect(shown(...talk, user('u1b', 'Uno', ''), ...run('r1b', 'u1b'))).toEqual(['Uno 2/2', 'r1b answers']);
  });

  it('after a retry has the newer run, with the number of tries', () => {
    expect(shown(...talk, ...run('r1b', 'u1'))).toEqual(['One', 'r1b answers 2/2']);
    expect(shown(...talk, ...run('r2b', 'u2'), ...run('r2c', 'u2'))).toEqual([
      'One',
      'r1 answers',
      'Two',
      'r2c answers 3/3',
    ]);
  });

  it('is the one that was selected, as it was left, and goes on from there', () => {
    const branched = [...talk, user('u1b', 'Uno', ''), ...run('r1b', 'u1b'), ...run('r1c', 'u1b')];
    expect(shown(...branched)).toEqual(['Uno 2/2', 'r1c answers 2/2']);
    const back = [...branched, select('u1:user')];
    expect(shown(...back)).toEqual(['One 1/2', 'r1 answers', 'Two', 'r2 answers']);
    expect(shown(...back, user('u3', 'Three'))).toEqual(['One 1/2', 'r1 answers', 'Two', 'r2 answers', 'Three']);
    expect(shown(...back, select('u1b:user'), select('r1b'))).toEqual(['Uno 2/2', 'r1b answers 1/2']);
  });

  it('has the subagents of its runs, and none of the others', () => {
    const call = (runId: string): AgentEvent => ({ type: 'tool_call', runId, id: 'c', name: 'agent', input: {} });
    const child = (runId: string) => [start(runId, 'c'), text(runId, runId), end(runId)];
    const both = [
      user('u', 'Go'),
      ...run('r', 'u', call('r'), ...child('kid')),
      ...run('s', 'u', call('s'), ...child('other')),
    ];
    const kids = (...events: AgentEvent[]) =>
      viewOf(...events)
        .entries.flatMap(entry => (entry.kind === 'run' ? entry.run.items : []))
        .flatMap(item => (item.kind === 'tool' ? item.runs.map(({ runId }) => runId) : []));
    expect(kids(...both)).toEqual(['other']);
    expect(kids(...both, select('r'))).toEqual(['kid']);
  });

  it('takes a run from another branch when the call that started it is seen late', () => {
    const early = [start('s', 'c'), text('s', 'early'), end('s')];
    const retried = [user('u', 'Go'), ...run('r', 'u'), ...early, start('r2', 'u:user')];
    const call: AgentEvent = { type: 'tool_call', runId: 'r2', id: 'c', name: 'agent', input: {} };
    expect(shown(...retried)).toEqual(['Go', ' 2/2']);
    expect(shown(...retried, call)).toEqual(['Go', 'early', 'tool 2/2']);
    expect(shown(...retried, call, select('r'))).toEqual(['Go', 'r answers 1/2']);
  });

  it('does not take the answer to a question that another branch asked by the same name', () => {
    const ask = (runId: string): AgentEvent => ({
      type: 'relay',
      runId,
      id: 'q',
      relayKind: 'question',
      question: '?',
    });
    const answer: AgentEvent = { type: 'relay_resolved', runId: 's', relayId: 'q', outcome: 'answer', answer: 'yes' };
    const both = [user('u', 'Go'), ...run('r', 'u', ask('r')), ...run('s', 'u', ask('s'), answer)];
    const relays = (...events: AgentEvent[]) =>
      viewOf(...events).entries.flatMap(entry => (entry.kind === 'run' ? [entry.run.items[0]] : []));
    expect(relays(...both)).toMatchObject([{ kind: 'relay', status: 'answered' }]);
    expect(relays(...both, select('r'))).toMatchObject([{ kind: 'relay', status: 'closed' }]);
  });

  it('keeps a line between the runs where it came, and counts what all branches used', () => {
    const mode: AgentEvent = { type: 'mode_changed', runId: 'control', modeId: 'plan' };
    const usage = (runId: string): AgentEvent => ({ type: 'usage', runId, inputTokens: 10, outputTokens: 1 });
    const both = [user('u', 'Go'), ...run('r', 'u', usage('r')), mode, ...run('s', 'u', usage('s'))];
    expect(shown(...both)).toEqual(['Go', 's answers 2/2']);
    expect(shown(...both, select('r'))).toEqual(['Go', 'r answers 1/2', 'Mode: plan']);
    for (const events of [both, [...both, select('r')]])
      expect(viewOf(...events).usage).toEqual({ inputTokens: 20, outputTokens: 2 });
  });

  it('gives the same objects for versions that did not change', () => {
    const before = fold(logged([...talk, ...run('r2b', 'u2')]));
    const after = branchView.step(before, { ...text('r2b', '!'), seq: 99, ts: '' });
    const last = (state: BranchViewState) => branchView.view(state).entries.at(-1) as { siblings?: object };
    expect(last(after).siblings).toBeDefined();
    expect(last(after).siblings).toBe(last(before).siblings);
  });
});

describe('the fold', () => {
  const settings = { numRuns: 150 };
  const streams = fc.oneof(eventStream().map(logged), conversationLog());

  it('shows, event by event, what the events of the active branch show from scratch', () => {
    fc.assert(
      fc.property(streams, events => {
        let state = branchView.initial;
        const scratch = new Scratch();
        for (const event of events) {
          state = branchView.step(state, event);
          scratch.add(event);
          expect(JSON.stringify(threadView.view(state.thread))).toBe(JSON.stringify(scratch.view()));
          expect(state.tip).toBe(defaultActive(state.conversation).messages.at(-1));
        }
      }),
      settings,
    );
  });

  it('takes every event once and leaves older states as they were', () => {
    fc.assert(
      fc.property(streams, events => {
        const states = [branchView.initial];
        for (const event of events) states.push(branchView.step(states.at(-1) as BranchViewState, event));
        const views = states.map(state => JSON.stringify(branchView.view(state)));
        const last = states.at(-1) as BranchViewState;
        for (const event of events) expect(branchView.step(last, event)).toBe(last);
        expect(states.map(state => JSON.stringify(branchView.view(state)))).toEqual(views);
      }),
      settings,
    );
  });

  it('goes on from an older state as if nothing had come after it, and so does what came after it', () => {
    const renumbered = (events: readonly LoggedEvent[], after: readonly LoggedEvent[]) => {
      const seq = Math.max(0, ...after.map(event => event.seq));
      return events.map((event, index) => ({ ...event, seq: seq + index + 1 }));
    };
    const expectSame = (state: BranchViewState, events: readonly LoggedEvent[]) => {
      const ids = getMessages(state.conversation).map(({ id }) => id);
      const selections = renumbered(logged(['', ...ids].map(select)), events);
      const seen = branchView.view(fold(selections, state));
      expect(JSON.stringify(seen)).toBe(JSON.stringify(branchView.view(fold([...events, ...selections]))));
    };
    fc.assert(
      fc.property(streams, streams, fc.nat(), (events, others, at) => {
        const head = events.slice(0, at % (events.length + 1));
        const rest = renumbered(others, head);
        const older = fold(head);
        const first = fold(events, older);
        const second = fold(rest, older);
        expectSame(second, [...head, ...rest]);
        expectSame(first, events);
        expectSame(older, head);
      }),
      settings,
    );
  });
});

/** The same by the plainest means: every event with the message it went into, all of them looked at for every view. */
class Scratch {
  #conversation: Conversation = createConversation();
  #seq = 0;
  readonly #events: { readonly event: LoggedEvent; readonly owner: string | undefined }[] = [];

  add(event: LoggedEvent): void {
    if (event.seq <= this.#seq) return;
    this.#seq = event.seq;
    const before = getMessages(this.#conversation);
    const known = getRun(this.#conversation, event.runId);
    const tip = defaultActive(this.#conversation).messages.at(-1);
    this.#conversation = reduceConversation(this.#conversation, event);
    const added = getMessages(this.#conversation)[before.length];
    this.#events.push({ event, owner: known?.messageId ?? added?.id ?? this.#owner(event, tip) });
  }

  #owner({ type, runId }: LoggedEvent, tip: string | undefined): string | undefined {
    const everywhere = ['branch_selected', 'collapsed', 'relay_resolved'];
    return everywhere.includes(type) ? undefined : (getRun(this.#conversation, runId)?.messageId ?? tip);
  }

  view() {
    const messages = getMessages(this.#conversation);
    const holders = new Map(
      messages.flatMap(({ id }) =>
        getBlocks(this.#conversation, id)
          .flatMap(block => getChunks(this.#conversation, block.id))
          .map(chunk => [chunk.id, id] as const),
      ),
    );
    const spawners = new Map(messages.map(({ id, spawnedBy }) => [id, spawnedBy]));
    const around = (id: string): string => {
      const spawner = spawners.get(id);
      return spawner === undefined ? id : around(holders.get(spawner) as string);
    };
    const active = defaultActive(this.#conversation).messages;
    const events = this.#events.filter(
      ({ event, owner }) => event.type === 'usage' || owner === undefined || active.includes(around(owner)),
    );
    const state = events.map(({ event }) => event).reduce(threadView.step, threadView.initial);
    return threadView.view({ ...state, seq: this.#seq });
  }
}
