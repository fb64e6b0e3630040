import { describe, expect, it } from 'vitest';
import { aiSdkEncoder } from '../../src/protocols/index.ts';
import { examples } from '../support/request-examples.ts';
import { readMessage, versions } from './ai-sdk-clients.ts';
import { approval, expectMessage, stepStart, text, tokens, tool } from './expect-message.ts';

describe('the clients of AI SDK 5, 6 and 7, when people decide', () => {
  it('show failed and denied tools', async () => {
    await expectMessage(
      'tools that fail and are denied',
      {
        5: [
          stepStart,
          tool('run/c1', 'read', { state: 'output-error', input: { path: 'a' }, errorText: 'no such file' }),
          tool('run/c2', 'shell', {
            state: 'output-error',
            input: { command: 'rm -rf /' },
            errorText: 'It is not allowed.',
          }),
          stepStart,
          text('Sorry.'),
        ],
        6: [
          stepStart,
          tool('run/c1', 'read', { state: 'output-error', input: { path: 'a' }, errorText: 'no such file' }),
          tool('run/c2', 'shell', { state: 'output-denied', input: { command: 'rm -rf /' } }),
          approval({
            id: 'run/c2:rule',
            kind: 'tool',
            target: 'run/c2',
            status: 'rejected',
            feedback: 'It is not allowed.',
          }),
          stepStart,
          text('Sorry.'),
        ],
        7: [
          stepStart,
          tool('run/c1', 'read', { state: 'output-error', input: { path: 'a' }, errorText: 'no such file' }),
          tool('run/c2', 'shell', {
            state: 'output-denied',
            input: { command: 'rm -rf /' },
            approval: { id: 'run/c2:rule', isAutomatic: true, approved: false, reason: 'It is not allowed.' },
          }),
          stepStart,
          text('Sorry.'),
        ],
      },
      { usage: tokens(30, 5) },
    );
  });

  it('show what was approved, refused and revised', async () => {
    await expectMessage(
      'approvals',
      {
        5: [
          stepStart,
          tool('run/c1', 'shell', { state: 'output-available', input: { command: 'ls' }, output: 'a b' }),
          tool('run/c2', 'shell', {
            state: 'output-error',
            input: { command: 'rm a' },
            errorText: 'Nobody answered in time.',
          }),
          tool('run/c3', 'shell', { state: 'output-available', input: { command: 'cat b' }, output: 'bee' }),
          approval({
            id: 'ask-1',
            kind: 'tool',
            target: 'run/c1',
            payload: { toolCallId: 'run/c1', toolName: 'shell', args: { command: 'ls' } },
            status: 'approved',
            feedback: 'fine',
          }),
          approval({
            id: 'ask-2',
            kind: 'tool',
            target: 'run/c2',
            payload: { toolCallId: 'run/c2', toolName: 'shell', args: { command: 'rm a' } },
            status: 'rejected',
            feedback: 'Nobody answered in time.',
          }),
          approval({
            id: 'ask-3',
            kind: 'tool',
            target: 'run/c3',
            payload: { toolCallId: 'run/c3', toolName: 'shell', args: { command: 'cat' } },
            status: 'revised',
            partial: { command: 'cat b' },
          }),
        ],
        6: [
          stepStart,
          tool('run/c1', 'shell', {
            state: 'output-available',
            input: { command: 'ls' },
            output: 'a b',
            approval: { id: 'ask-1' },
          }),
          tool('run/c2', 'shell', { state: 'output-denied', input: { command: 'rm a' }, approval: { id: 'ask-2' } }),
          tool('run/c3', 'shell', {
            state: 'output-available',
            input: { command: 'cat b' },
            output: 'bee',
            approval: { id: 'ask-3' },
          }),
          approval({
            id: 'ask-2',
            kind: 'tool',
            target: 'run/c2',
            payload: { toolCallId: 'run/c2', toolName: 'shell', args: { command: 'rm a' } },
            status: 'rejected',
            feedback: 'Nobody answered in time.',
          }),
        ],
        7: [
          stepStart,
          tool('run/c1', 'shell', {
            state: 'output-available',
            input: { command: 'ls' },
            output: 'a b',
            approval: { id: 'ask-1', approved: true, reason: 'fine' },
          }),
          tool('run/c2', 'shell', {
            state: 'output-denied',
            input: { command: 'rm a' },
            approval: { id: 'ask-2', approved: false, reason: 'Nobody answered in time.' },
          }),
          tool('run/c3', 'shell', {
            state: 'output-available',
            input: { command: 'cat b' },
            output: 'bee',
            approval: { id: 'ask-3', approved: true },
          }),
        ],
      },
      { usage: tokens(10, 2) },
    );
  });

  it('show a plan, its approval, and a question with its answer', async () => {
    await expectMessage(
      'a plan and a question',
      {
        5: [
          stepStart,
          tool('run/c1', 'submit_plan', { state: 'output-available', input: {}, output: 'approved' }),
          { type: 'data-plan', id: 'plan-1', data: { planId: 'plan-1', status: 'executed' } },
          approval({
            id: 'ask-1',
            kind: 'plan',
            target: 'plan-1',
            payload: { toolCallId: 'run/c1', title: 'Move', plan: '1. Pack' },
            status: 'approved',
          }),
          approval({
            id: 'ask-2',
            kind: 'question',
            target: 'ask-2',
            payload: { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] },
            status: 'answered',
            answer: 'B',
          }),
        ],
        6: [
          stepStart,
          tool('run/c1', 'submit_plan', {
            state: 'output-available',
            input: {},
            output: 'approved',
            approval: {
              id: 'ask-1',
              descriptor: { kind: 'plan', target: 'plan-1', toolCallId: 'run/c1', title: 'Move', plan: '1. Pack' },
            },
          }),
          { type: 'data-plan', id: 'plan-1', data: { planId: 'plan-1', status: 'executed' } },
          approval({
            id: 'ask-2',
            kind: 'question',
            target: 'ask-2',
            payload: { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] },
            status: 'answered',
            answer: 'B',
          }),
        ],
        7: [
          stepStart,
          tool('run/c1', 'submit_plan', {
            state: 'output-available',
            input: {},
            output: 'approved',
            approval: {
              id: 'ask-1',
              descriptor: { kind: 'plan', target: 'plan-1', toolCallId: 'run/c1', title: 'Move', plan: '1. Pack' },
              approved: true,
            },
          }),
          { type: 'data-plan', id: 'plan-1', data: { planId: 'plan-1', status: 'executed' } },
          approval({
            id: 'ask-2',
            kind: 'question',
            target: 'ask-2',
            payload: { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] },
            status: 'answered',
            answer: 'B',
          }),
        ],
      },
      { usage: tokens(1, 1) },
    );
  });

  it('show a stopped run with nothing left open', async () => {
    await expectMessage(
      'a run that is stopped',
      {
        5: [
          stepStart,
          text('I will '),
          tool('run/c1', 'shell', {
            state: 'output-error',
            input: { command: 'sleep' },
            errorText: 'It has no result: the run ended before.',
          }),
          approval({
            id: 'ask-1',
            kind: 'tool',
            target: 'run/c1',
            payload: { toolCallId: 'run/c1', toolName: 'shell', args: {} },
            status: 'rejected',
            feedback: 'It was cancelled before anybody answered.',
          }),
        ],
        6: [
          stepStart,
          text('I will '),
          tool('run/c1', 'shell', {
            state: 'output-error',
            input: { command: 'sleep' },
            errorText: 'It has no result: the run ended before.',
            approval: { id: 'ask-1' },
          }),
          approval({
            id: 'ask-1',
            kind: 'tool',
            target: 'run/c1',
            payload: { toolCallId: 'run/c1', toolName: 'shell', args: {} },
            status: 'rejected',
            feedback: 'It was cancelled before anybody answered.',
          }),
        ],
        7: [
          stepStart,
          text('I will '),
          tool('run/c1', 'shell', {
            state: 'output-error',
            input: { command: 'sleep' },
            errorText: 'It has no result: the run ended before.',
            approval: { id: 'ask-1', approved: false, reason: 'It was cancelled before anybody answered.' },
          }),
        ],
      },
      { usage: tokens(10, 2) },
    );
  });

  it('show one part for a call that is asked about twice and revised in a later step', async () => {
    const shown = { state: 'output-available', input: { path: 'a' }, output: 'text' };
    const descriptor = { kind: 'access', target: 'run/c1', toolCallId: 'run/c1', path: 'a' };
    const payload = { toolCallId: 'run/c1', toolName: 'read', args: {} };
    await expectMessage(
      'a call that is asked about twice, and revised in a later step',
      {
        5: [
          stepStart,
          tool('run/c1', 'read', shown),
          stepStart,
          approval({
            id: 'ask-1',
            kind: 'tool',
            target: 'run/c1',
            payload,
            status: 'revised',
            partial: { path: 'b' },
          }),
          approval({
            id: 'ask-2',
            kind: 'access',
            target: 'run/c1',
            payload: { toolCallId: 'run/c1', path: 'a' },
            status: 'approved',
          }),
        ],
        6: [stepStart, tool('run/c1', 'read', { ...shown, approval: { id: 'ask-2', descriptor } }), stepStart],
        7: [
          stepStart,
          tool('run/c1', 'read', { ...shown, approval: { id: 'ask-2', descriptor, approved: true } }),
          stepStart,
        ],
      },
      { usage: tokens(0, 0) },
    );
  });

  it('show a call that waits for approval, and that it goes on when it is approved', async () => {
    const log = examples.approvals;
    const asked = log.findIndex(({ type }) => type === 'relay') + 1;
    const decided = log.findIndex(({ type }) => type === 'relay_resolved') + 1;
    const states = await Promise.all(
      versions.map(async version => {
        const encoder = aiSdkEncoder({ version });
        const chunks = log.slice(0, decided).map(event => encoder.encode(event));
        const stateAfter = async (count: number) => {
          const { message } = await readMessage(version, chunks.slice(0, count).flat());
          const { parts } = message as { parts: readonly { toolCallId?: string; state?: string }[] };
          return parts.find(({ toolCallId }) => toolCallId === 'run/c1')?.state;
        };
        return [await stateAfter(asked), await stateAfter(decided)];
      }),
    );
    expect(states).toEqual([
      ['input-available', 'input-available'],
      ['approval-requested', 'input-available'],
      ['approval-requested', 'approval-responded'],
    ]);
  });
});
