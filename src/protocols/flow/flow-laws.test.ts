import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventStream } from '../../../test/support/random-events.ts';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import { requestLog } from '../../../test/support/random-requests.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { checkOrder } from '../../events/order.ts';
import { encodeAll } from '../encoder.ts';
import { flowEncoder } from './flow-encoder.ts';
import type { FlowEvent } from './flow-event.ts';
import { checkFlowOrder } from './flow-order.ts';

const flow = (events: readonly AgentEvent[]) => encodeAll(flowEncoder(), events);
const runs = { numRuns: 500 };

function joined(events: readonly FlowEvent[], type: 'text' | 'reasoning'): string {
  return events.flatMap(event => (event.type === type ? event.text : [])).join('');
}

describe('a flow stream', () => {
  it('keeps its ordering guarantees for every legal log of a request', () => {
    fc.assert(
      fc.property(requestLog(), events => {
        expect(checkOrder(events)).toEqual([]);
        expect(checkFlowOrder(flow(events))).toEqual([]);
      }),
      runs,
    );
  });

  it('keeps them for a log of many turns, with edits, retries and events that come twice', () => {
    fc.assert(
      fc.property(conversationLog(), events => {
        expect(checkFlowOrder(flow(events))).toEqual([]);
      }),
      runs,
    );
  });

  it('keeps them whatever the events are', () => {
    fc.assert(
      fc.property(eventStream(), events => {
        expect(checkFlowOrder(flow(events))).toEqual([]);
      }),
      runs,
    );
  });

  it('is the same for the same events, and for events that are delivered twice', () => {
    fc.assert(
      fc.property(requestLog(), events => {
        expect(flow(events.flatMap(event => [event, event]))).toEqual(flow(events));
      }),
    );
  });

  it('has all the words of the root run and none of another run', () => {
    fc.assert(
      fc.property(requestLog(), events => {
        const root = events[0]?.runId;
        const ended = events.findIndex(event => event.runId === root && event.type === 'harness_end');
        const seen = events.slice(0, ended < 0 ? events.length : ended);
        for (const type of ['text', 'reasoning'] as const) {
          const said = seen.flatMap(event => (event.type === type && event.runId === root ? event.content : []));
          expect(joined(flow(events), type)).toBe(said.join(''));
        }
      }),
    );
  });

  it('has one usage: of the finish, of the agents, and of the cost summary', () => {
    fc.assert(
      fc.property(requestLog(), events => {
        const stream = flow(events);
        const finish = stream.find(event => event.type === 'finish');
        const costs = stream.find(event => event.type === 'data-cost-summary');
        if (finish === undefined || costs === undefined) return;
        const agents = costs.data.agents.map(agent => agent.usage.totalTokens);
        expect(agents.reduce((sum, tokens) => sum + tokens, 0)).toBe(finish.usage.totalTokens);
      }),
    );
  });
});
