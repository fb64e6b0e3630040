import { describe, expect, it } from 'vitest';
import { RunTotals } from './run-totals.ts';

describe('the totals of a run', () => {
  it('separates what a person rejected from what was denied', () => {
    const totals = new RunTotals();
    const denied = (id: string, name: string) =>
      ({ type: 'tool_result', runId: 'r', id, name, output: { status: 'denied', reason: 'no' } }) as const;
    const relay = { type: 'relay', runId: 'r', relayKind: 'permission', tool: 'bash', params: {} } as const;
    totals.add({ ...relay, id: 'q', toolCallId: 'c1' });
    totals.add({ type: 'relay_resolved', runId: 'r', relayId: 'q', outcome: 'reject' });
    totals.add(denied('c1', 'bash'));
    totals.add(denied('c2', 'write'));
    expect(totals.rejected).toEqual(['bash']);
    expect(totals.denied).toEqual(['write']);
  });
});
