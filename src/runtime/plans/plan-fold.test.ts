import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { foldAll } from '../../projections/fold.ts';
import { checkPlanMove, plansFold } from './plan-fold.ts';

type Status = EventOf<'plan_status'>['to'];
const statuses: readonly Status[] = ['draft', 'approved', 'executing', 'executed', 'failed'];
const move = (to: Status, runId = 'run'): AgentEvent => ({ type: 'plan_status', runId, planId: 'p', to });
const asks: AgentEvent = {
  type: 'relay',
  runId: 'run',
  id: 'r',
  relayKind: 'plan',
  planId: 'p',
  title: 'T',
  plan: 'P',
};
const ends: AgentEvent = { type: 'harness_end', runId: 'run', agentId: 'a', reason: 'aborted' };
const statusOf = (events: AgentEvent[]) => foldAll(plansFold, events)[0];

describe('the plans of a thread', () => {
  it('move only from draft to approved to executing to executed or failed', () => {
    const legal = [undefined, ...statuses].flatMap(from =>
      statuses
        .filter(to => {
          try {
            checkPlanMove('p', from, to);
            return true;
          } catch (error) {
            expect(error).toMatchObject({ code: 'plan_conflict', details: { planId: 'p', from, to } });
            return false;
          }
        })
        .map(to => [from, to]),
    );
    expect(legal).toEqual([
      [undefined, 'draft'],
      ['draft', 'approved'],
      ['approved', 'executing'],
      ['executing', 'executed'],
      ['executing', 'failed'],
    ]);
  });

  it('are shown as pending while a person is asked', () => {
    expect(statusOf([move('draft'), asks])).toMatchObject({ status: 'draft', shown: 'pending_approval', title: 'T' });
    const answered: AgentEvent = { type: 'relay_resolved', runId: 'run', relayId: 'r', outcome: 'reject' };
    expect(statusOf([move('draft'), asks, answered])).toMatchObject({ status: 'draft', shown: 'draft' });
    expect(statusOf([move('draft'), asks, ends])).toMatchObject({ status: 'draft', shown: 'draft' });
  });

  it('have failed when their run ended while they were carried out, and only then', () => {
    const until = [move('draft'), move('approved'), move('executing')];
    expect(statusOf([...until, ends])).toMatchObject({ status: 'failed' });
    expect(statusOf([...until, { ...ends, runId: 'another' }])).toMatchObject({ status: 'executing' });
    expect(statusOf([...until, move('executed'), ends])).toMatchObject({ status: 'executed' });
    expect(statusOf([move('draft'), ends])).toMatchObject({ status: 'draft' });
  });

  it('are executing at most once, whatever the log says', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...statuses.map(status => move(status)), asks, ends)), events => {
        let state = plansFold.initial;
        let dispatched = 0;
        for (const event of events) {
          const before = state.plans.get('p')?.status;
          state = plansFold.step(state, event);
          if (before !== 'executing' && state.plans.get('p')?.status === 'executing') dispatched++;
        }
        expect(dispatched).toBeLessThanOrEqual(1);
      }),
    );
  });
});
