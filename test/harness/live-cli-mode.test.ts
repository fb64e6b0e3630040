import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { SessionPool } from '../../src/agents/cli/live/session-pool.ts';
import { Harness } from '../../src/control/index.ts';
import { fakeProgram } from '../cli-agents/support/fake-program.ts';
import { watch } from './scene.ts';

const executable = fakeProgram('claude', 'fake-claude.mjs');
const cwd = mkdtempSync(join(tmpdir(), 'singletree-live-mode-'));
const sessions = new SessionPool();
afterEach(() => sessions.close());
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function harnessWithCli() {
  const options = { executable, cwd, sessions, stopStepMs: 100 };
  return watch(
    new Harness({
      id: 'h',
      modes: [
        { id: 'build', default: true, agent: cliAgent('claude', options) },
        { id: 'plan', agent: cliAgent('claude', { ...options, mode: 'plan' }) },
      ],
    }),
  );
}
const said = async (harness: Harness) => JSON.stringify((await harness.listMessages()).at(-1));

describe('an external agent over its live channel as a mode', () => {
  it('asks for approval, and runs a revised input', async () => {
    const { harness, on, of } = harnessWithCli();
    const sending = harness.sendMessage({ content: 'run echo one; run echo two; run echo three; say done' });
    const first = await on('tool_approval_required');
    expect(first).toMatchObject({ toolName: 'Bash', args: { command: 'echo one' } });
    harness.respondToToolApproval({ toolCallId: first.toolCallId, decision: 'approve' });
    const second = await on('tool_approval_required', 2);
    harness.respondToToolApproval({ toolCallId: second.toolCallId, decision: 'decline', feedback: 'not two' });
    const third = await on('tool_approval_required', 3);
    harness.respondToToolApproval({
      toolCallId: third.toolCallId,
      decision: 'revise',
      input: { command: 'echo four' },
    });
    await sending;
    const ends = JSON.stringify(of('tool_end'));
    expect(ends).toContain('one');
    expect(ends).toContain('four');
    expect(ends).not.toContain('two\\n');
    expect(ends).toContain('Tool call was not approved by the user');
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['complete']);
  });

  it('asks questions', async () => {
    const { harness, on } = harnessWithCli();
    const sending = harness.sendMessage({ content: 'question; say thanks' });
    const question = await on('ask_question');
    expect(question).toMatchObject({ question: 'Which?', options: [{ label: 'Red' }, { label: 'Blue' }] });
    harness.respondToQuestion({ questionId: question.questionId, answer: 'Blue' });
    await sending;
    expect(await said(harness)).toContain('Blue');
  });

  it('carries an approved plan out in the same run, and switches to the default mode', async () => {
    const { harness, on, of } = harnessWithCli();
    await harness.switchMode({ modeId: 'plan' });
    const sending = harness.sendMessage({ content: 'plan; say planned' });
    const plan = await on('plan_approval_required');
    expect(plan).toMatchObject({ plan: '# Plan\n1. do it' });
    await harness.respondToPlanApproval({ planId: plan.planId, response: { action: 'approved' } });
    expect([harness.getCurrentModeId(), harness.isRunning()]).toEqual(['build', true]);
    await sending;
    expect(of('agent_end')).toHaveLength(1);
    expect(await said(harness)).toContain('planned');
    expect(harness.getCurrentModeId()).toBe('build');
    await harness.sendMessage({ content: 'echo' });
    expect(await said(harness)).toContain('default');
    expect(of('error')).toEqual([]);
  });

  it('receives what is said during a run, and afterwards', async () => {
    const { harness, on } = harnessWithCli();
    const sending = harness.sendMessage({ content: 'slow; echo' });
    await on('agent_start');
    await harness.steer({ content: 'look here' });
    await harness.followUp({ content: 'say followed' });
    await sending;
    await on('agent_end', 2);
    const messages = JSON.stringify(await harness.listMessages());
    expect(messages).toContain('look here');
    expect(messages).toContain('followed');
  });

  it('receives what is said in the middle of a turn', async () => {
    const { harness, on } = harnessWithCli();
    const sending = harness.sendMessage({ content: 'say working; slow; echo' });
    await on('message_update');
    await harness.steer({ content: 'look here' });
    await sending;
    expect(await said(harness)).toContain('received');
    expect(await said(harness)).toContain('look here');
  });

  it('is aborted while it asks, and continues with another model', async () => {
    const { harness, on, lines } = harnessWithCli();
    const sending = harness.sendMessage({ content: 'run echo never' });
    await on('tool_approval_required');
    harness.abort();
    await sending;
    expect(lines().at(-1)).toBe('agent_end aborted');
    await harness.switchModel({ modelId: 'other' });
    await harness.sendMessage({ content: 'echo' });
    expect(await said(harness)).toContain('other');
  });
});
