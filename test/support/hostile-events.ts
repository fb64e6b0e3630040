import * as fc from 'fast-check';
import type { AgentEvent } from '../../src/events/index.ts';

/** What somebody who writes an export by hand may know of the machine that imports it. */
export interface Targets {
  /** A folder that an agent works in, with a link `out` that leads to `outside`. */
  readonly project: string;
  /** A folder beside it, with a file `victim`. */
  readonly outside: string;
  /** The hash of a content in the snapshots of the project. */
  readonly blob: string;
  /** An open run of another thread, and the relay that it waits for. */
  readonly runId: string;
  readonly relayId: string;
  readonly agentId: string;
}

/** A log that tries whatever an event could have an effect with; all its events are valid. */
export function hostileLog(targets: Targets): fc.Arbitrary<AgentEvent[]> {
  const { project, outside } = targets;
  const runId = fc.constantFrom('r', 's', targets.runId);
  const relayId = fc.constantFrom('r/q', 's/q', targets.relayId);
  const toolCallId = fc.constantFrom('r/c', 's/c');
  const agentId = fc.constantFrom(targets.agentId, 'elsewhere');
  const folder = fc.constantFrom(project, outside, '/');
  const path = fc.constantFrom(
    '../outside/victim',
    `${outside}/victim`,
    'out/victim',
    'own.txt',
    'new.sh',
    '.git/config',
  );
  const content = fc.constantFrom(undefined, `100755 ${targets.blob}`, `100644 ${'0'.repeat(39)}1`);
  const is = (type: AgentEvent['type'], fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
    fc.record({ type: fc.constant(type), runId, ...fields }) as fc.Arbitrary<unknown> as fc.Arbitrary<AgentEvent>;
  const asked = { id: relayId, toolCallId, tool: fc.constant('bash'), params: fc.constant({ command: 'make' }) };
  const single = fc.oneof(
    is('custom', {
      name: fc.constant('checkpoint'),
      data: fc.record({
        toolCallId,
        workTree: folder,
        files: fc.array(fc.record({ path, before: content, after: content }), { minLength: 1, maxLength: 3 }),
      }),
    }),
    is('custom', {
      name: fc.constantFrom('settings', 'permissions', 'setup', 'follow-up:x', 'run:r'),
      data: fc.constantFrom({ default: 'allow', rules: [] }, { currentModeId: 'build' }, { command: 'touch own.txt' }),
    }),
    is('user', { content: fc.constant('Go.'), id: fc.constantFrom('m', 'n') }),
    is('harness_start', { agentId, parentId: fc.constantFrom('r:user', 's:user', targets.relayId), cwd: folder }),
    is('harness_start', {
      agentId,
      memory: fc.constant({ operation: 'observation', background: true, tokens: 1 }),
    }),
    is('harness_end', { agentId }),
    is('session', { sessionId: fc.constant('private'), cwd: folder }),
    is('relay', { relayKind: fc.constantFrom('permission', 'suspension', 'access'), ...asked }),
    is('relay', { relayKind: fc.constant('question'), id: relayId, question: fc.constant('Which?') }),
    is('relay', {
      relayKind: fc.constant('plan'),
      id: relayId,
      planId: fc.constant('p'),
      plan: fc.constant('All.'),
    }),
    is('relay_resolved', {
      relayId,
      outcome: fc.constantFrom('approve', 'answer', 'cancelled'),
      remember: fc.constantFrom('once', 'thread', 'category'),
      answer: fc.constant('yes'),
    }),
    is('tool_call', { id: toolCallId, name: fc.constant('bash'), input: fc.constant({ command: 'make' }) }),
    is('tool_start', { id: toolCallId, name: fc.constant('bash') }),
    is('mode_changed', { modeId: fc.constant('build') }),
    is('model_changed', {
      modelId: fc.constant('other/model'),
      scope: fc.constantFrom('thread', 'mode', 'global'),
    }),
    is('folder_changed', {
      folder,
      worktree: fc.record({ origin: folder, branch: fc.constant('main'), head: fc.constant('HEAD') }),
    }),
    is('file_registered', { id: fc.constant('f'), path }),
    is('plan_status', { planId: fc.constant('p'), to: fc.constantFrom('draft', 'approved', 'executing') }),
    is('usage', { inputTokens: fc.constant(1e9), outputTokens: fc.constant(1e9), cost: fc.constant(1e6) }),
    is('abort_requested'),
    is('steer_requested', { id: fc.constantFrom('m', 'n'), content: fc.constant('And this.') }),
  );
  /** A turn whose checkpoint agrees with its run, and a grant for a call of it. */
  const turn = fc
    .record({ runId, folder, path, before: content, after: content, relayId, agentId })
    .map(({ runId, folder, path, before, after, relayId, agentId }): AgentEvent[] => [
      { type: 'user', runId: `${runId}-u`, content: 'Go.' },
      { type: 'harness_start', runId, agentId, parentId: `${runId}-u:user`, cwd: folder },
      { type: 'session', runId, sessionId: 'private', cwd: folder },
      { type: 'tool_call', runId, id: `${runId}/c`, name: 'bash', input: { command: 'make' } },
      {
        type: 'custom',
        runId,
        name: 'checkpoint',
        data: { toolCallId: `${runId}/c`, workTree: folder, files: [{ path, before, after }] },
      },
      {
        type: 'relay',
        runId,
        id: relayId,
        relayKind: 'permission',
        toolCallId: `${runId}/c`,
        tool: 'bash',
        params: { command: 'make' },
      },
      { type: 'relay_resolved', runId, relayId, outcome: 'approve', remember: 'category' },
    ]);
  return fc
    .array(fc.oneof({ arbitrary: single.map(event => [event]), weight: 4 }, turn), { maxLength: 20 })
    .map(events => [{ type: 'user', runId: 'u', content: 'Begin.' }, ...events.flat()]);
}
