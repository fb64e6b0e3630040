import { describe, expect, it } from 'vitest';
import { kiloAdapter } from '../../src/agents/cli/adapters/kilo/adapter.ts';
import { opencodeTools } from '../../src/projections/activity/tables/opencode.ts';
import { kiloTools } from '../../src/projections/activity/tables/kilo.ts';
import { activity, translated } from './translated.ts';

const used = (tool: string, state: object) => ({
  type: 'tool_use',
  sessionID: 's',
  part: { type: 'tool', tool, callID: 'c', state: { status: 'completed', output: 'x', ...state } },
});
const activityOf = (...records: unknown[]) => activity('kilo', ...records).map(({ sessionId: _id, ...rest }) => rest);
const rejected = 'run ended with an auto-rejected permission; pass --auto for autonomous use';

describe('Kilo Code', () => {
  it('is started like OpenCode', () => {
    const request = { prompt: '-x', model: 'p/m', sessionId: 's', yolo: true };
    expect(kiloAdapter.command(request)).toEqual({
      args: ['run', '--format', 'json', '--thinking', '--model', 'p/m', '--session', 's', '--auto'],
      input: '-x',
    });
  });

  it('has all tools of OpenCode', () => {
    expect(kiloTools.rules).toMatchObject(opencodeTools.rules);
    expect(kiloTools.shell).toBe(opencodeTools.shell);
  });

  it.each(['codesearch', 'semantic_search'])('searches with %s', tool => {
    expect(activityOf(used(tool, { input: { query: 'login', path: '/w' } }))).toEqual([
      { type: 'search', query: 'login', path: '/w', isSuccess: true },
    ]);
  });

  it.each(['background_process', 'board_post', 'board_read', 'cron_create', 'goal', 'kilo_local_recall', 'list'])(
    'does not know the operations of %s',
    tool => {
      const line = used(tool, { input: { command: 'make', path: '/a' } });
      expect(activityOf(line)).toEqual([{ type: 'unknown', raw: line }]);
    },
  );

  it('reports a missing tool by its own name, as a failure', () => {
    const line = used('teleport', { status: 'error', input: {}, error: "unavailable tool 'teleport'" });
    expect(translated('kilo', line).at(-1)).toMatchObject({
      name: 'teleport',
      output: { error: "unavailable tool 'teleport'" },
    });
    expect(activityOf(line)).toEqual([{ type: 'unknown', raw: line }]);
  });

  it('does not guess at arguments that are no JSON', () => {
    const line = used('bash', { status: 'error', input: { value: '{"command": "ec' }, error: 'JSON parsing failed' });
    expect(activityOf(line)).toEqual([{ type: 'unknown', raw: line }]);
  });

  it('reports the sessions that it manages, and those it stops', () => {
    const manage = (action: string) => used('agent_manager', { metadata: { action, sessionID: 'ses_2' } });
    const who = { subagentId: 'ses_2' };
    const started = { type: 'orchestration', action: 'subagent_started', ...who };
    expect(activityOf(manage('prompt'))).toEqual([started]);
    expect(activityOf(manage('prompt'), manage('stop'))).toEqual([
      started,
      { type: 'orchestration', action: 'subagent_failed', ...who, isSuccess: false },
    ]);
    expect(activityOf(manage('stop'))).toEqual([{ type: 'unknown', raw: manage('stop') }]);
    const unnamed = used('agent_manager', { metadata: { action: 'start', count: 2 } });
    expect(activityOf(unnamed)).toEqual([{ type: 'unknown', raw: unnamed }]);
    expect(activityOf(used('agent_manager', { metadata: { sessionId: 'ses_2' }, output: 'Found.' }))).toEqual([
      started,
      { type: 'orchestration', action: 'subagent_completed', ...who, isSuccess: true },
    ]);
  });

  it('ends by an error that is a plain text', () => {
    expect(activityOf({ type: 'error', sessionID: 's', error: rejected })).toEqual([
      { type: 'error', message: rejected },
    ]);
  });

  it('writes what a cut stream had brought and fails once', () => {
    const failed = { type: 'error', sessionID: 's', error: { name: 'APIError', data: { message: 'reset' } } };
    const text = { type: 'text', sessionID: 's', part: { id: 'p', type: 'text', text: 'This will be cut off.' } };
    expect(activityOf({ type: 'step_start', sessionID: 's', part: { id: 'q' } }, failed, text)).toEqual([
      { type: 'error', message: 'reset', code: 'APIError' },
      { type: 'agent', message: 'This will be cut off.' },
    ]);
  });
});
