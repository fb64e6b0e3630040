import { describe, expect, it } from 'vitest';
import {
  answer,
  ask,
  asked,
  begin,
  begun,
  call,
  display,
  end,
  full,
  line,
  logged,
  result,
  runId,
  step,
  text,
  linesOf,
  usage,
} from '../../../../test/support/harness-log.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { foldHarness } from './project-harness.ts';
import { pendingRelayEvents, waitingRelay } from './relay-slots.ts';

describe('approvals', () => {
  it('are emitted after the call and settle when they are answered', () => {
    const events = [
      ...asked,
      step(0),
      call('c'),
      usage,
      ask('r', 'c'),
      answer('r', 'approve'),
      begin('c'),
      result('c'),
      end(),
    ];
    expect(linesOf(events).slice(begun.length)).toEqual([
      'message_start assistant',
      'tool_start c',
      'message_update assistant',
      'tool_approval_required c',
      '(approval c settled)',
      'tool_end c',
      'message_update assistant tool_use',
      'usage_update',
      'message_end assistant complete',
      'agent_end complete',
    ]);
    expect(display(events.slice(0, 6)).pendingApproval).toEqual({
      toolCallId: 'c',
      toolName: 'write',
      args: { path: 'c' },
    });
    expect(display(events.slice(0, 7)).pendingApproval).toBeNull();
  });

  it('of parallel calls are emitted one after another, the answered one settled first', () => {
    const two = [...asked, call('a'), call('b'), ask('r1', 'a'), ask('r2', 'b')];
    const approvals = (events: AgentEvent[]) => linesOf(events).filter(it => it.includes('appro'));
    expect(approvals(two)).toEqual(['tool_approval_required a']);
    expect(approvals([...two, answer('r1', 'reject')])).toEqual([
      'tool_approval_required a',
      '(approval a settled)',
      'tool_approval_required b',
    ]);
    expect(approvals([...two, answer('r2', 'approve'), answer('r1', 'approve')])).toEqual([
      'tool_approval_required a',
      '(approval b settled)',
      '(approval a settled)',
    ]);
  });

  it('are available to a reader of the log: the pending relay, and its event', () => {
    const { state } = foldHarness(logged([...asked, call('a'), ask('r1', 'a')]));
    expect(waitingRelay(state.relays, 'approval')?.id).toBe('r1');
    expect(pendingRelayEvents(state.relays).map(line)).toEqual(['tool_approval_required a']);
    expect(
      waitingRelay(
        foldHarness(logged([...asked, call('a'), ask('r1', 'a'), answer('r1', 'approve')])).state.relays,
        'approval',
      ),
    ).toBeUndefined();
  });
});

describe('relays of a run that ends', () => {
  it('are closed, requests for access too, and none of them is emitted any more', () => {
    const access: AgentEvent = {
      type: 'relay',
      runId,
      id: 'x',
      relayKind: 'access',
      params: { path: '/', reason: 'r' },
    };
    const open = [...asked, call('a'), call('b'), ask('r1', 'a'), ask('r2', 'b'), access];
    const before = foldHarness(logged(open)).state;
    expect(pendingRelayEvents(before.relays).map(({ type }) => type)).toEqual([
      'tool_approval_required',
      'sandbox_access_request',
    ]);
    const ended = [...open, end('aborted')];
    expect(pendingRelayEvents(foldHarness(logged(ended)).state.relays)).toEqual([]);
    expect(linesOf(ended).filter(it => it.startsWith('tool_approval_required'))).toEqual(['tool_approval_required a']);
  });
});

describe('other relays', () => {
  it('emit questions with the relay id as question id, suspensions, access and plans', () => {
    const relays: AgentEvent[] = [
      {
        type: 'relay',
        runId,
        id: 'q1',
        relayKind: 'question',
        question: 'Which?',
        options: [{ label: 'A' }],
        selectionMode: 'single_select',
      },
      {
        type: 'relay',
        runId,
        id: 's1',
        relayKind: 'suspension',
        toolCallId: 'c',
        tool: 'deploy',
        payload: { why: 1 },
        resumeSchema: '{}',
      },
      { type: 'relay', runId, id: 'x1', relayKind: 'access', params: { path: '/etc', reason: 'to read' } },
      { type: 'relay', runId, id: 'r1', relayKind: 'plan', planId: 'p1', plan: '1. Go' },
    ];
    expect(full([...asked, ...relays]).slice(begun.length)).toEqual([
      {
        type: 'ask_question',
        questionId: 'q1',
        question: 'Which?',
        options: [{ label: 'A' }],
        selectionMode: 'single_select',
      },
      {
        type: 'tool_suspended',
        toolCallId: 'c',
        toolName: 'deploy',
        args: {},
        suspendPayload: { why: 1 },
        resumeSchema: '{}',
      },
      { type: 'sandbox_access_request', questionId: 'x1', path: '/etc', reason: 'to read' },
      { type: 'plan_approval_required', planId: 'p1', title: 'Implementation Plan', plan: '1. Go' },
    ]);
  });

  it('emit plan_approved for an approved plan only', () => {
    const plan: AgentEvent = { type: 'relay', runId, id: 'r', relayKind: 'plan', planId: 'p', title: 'T', plan: 'x' };
    expect(linesOf([...asked, plan, answer('r', 'approve')]).slice(-2)).toEqual(['(plan p settled)', 'plan_approved']);
    expect(linesOf([...asked, plan, answer('r', 'reject')]).at(-1)).toBe('(plan p settled)');
  });

  it('emit an info when they expire', () => {
    const question: AgentEvent = { type: 'relay', runId, id: 'q', relayKind: 'question', question: 'Sure?' };
    expect(linesOf([...asked, question, answer('q', 'expired')]).slice(-2)).toEqual([
      '(question q settled)',
      'info Nobody answered in time: the question "Sure?".',
    ]);
  });
});

describe('an aborted run', () => {
  it('keeps its text, ends its message as aborted, and leaves nothing pending', () => {
    const events = [
      ...asked,
      step(0),
      text('Half'),
      call('c'),
      usage,
      ask('r', 'c'),
      answer('r', 'cancelled'),
      end('aborted'),
    ];
    expect(linesOf(events).slice(-6)).toEqual([
      'tool_approval_required c',
      '(approval c settled)',
      'info No answer is needed any more: the call of write.',
      'usage_update',
      'message_end assistant aborted',
      'agent_end aborted',
    ]);
    const shown = display(events);
    expect(shown).toMatchObject({ isRunning: false, pendingApproval: null });
    expect(shown.currentMessage?.content[0]).toEqual({ type: 'text', text: 'Half' });
    expect(shown.activeTools.get('c')?.status).toBe('error');
  });

  it('cancels its relays, even when nobody did', () => {
    expect(linesOf([...asked, call('c'), ask('r', 'c'), end('aborted')]).slice(-4)).toEqual([
      '(approval c settled)',
      'info No answer is needed any more: the call of write.',
      'message_end assistant aborted',
      'agent_end aborted',
    ]);
  });

  it('without text has no message', () => {
    expect(linesOf([...asked, step(0), end('aborted')])).toEqual([...begun, 'agent_end aborted']);
  });
});
