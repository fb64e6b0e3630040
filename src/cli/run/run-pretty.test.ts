import { describe, expect, it } from 'vitest';
import { recordedStream } from '../../../test/support/recorded-stream.ts';
import { PrettyRun } from './run-pretty.ts';
import { RunTotals } from './run-totals.ts';

describe('a run for people', () => {
  it('is one block of text, one line per activity and a summary', () => {
    const { stream, printed } = recordedStream();
    const pretty = new PrettyRun(stream, { runId: 'r', cwd: '/project' });
    pretty.event({ type: 'text', runId: 'r', id: 't', content: 'Hello.\n' });
    pretty.event({ type: 'text', runId: 'r', id: 't', content: '', final: true });
    pretty.event({ type: 'text', runId: 'r/a/run', id: 'u', content: 'of a subagent' });
    pretty.activity({ type: 'read', timestamp: '', path: '/a' });
    pretty.activity({ type: 'write', timestamp: '', path: '/project/b/c' });
    const totals = new RunTotals();
    totals.add({ type: 'tool_result', runId: 'r', id: 'c', name: 'bash', output: { status: 'denied', reason: 'no' } });
    pretty.end('complete', 1_000, totals);
    expect(printed()).toMatch(/^Hello\.\n• read \/a\n• write b\/c\n\ndone · .* · denied: bash\n$/);
  });

  it('begins each message on a line of its own', () => {
    const { stream, printed } = recordedStream();
    const pretty = new PrettyRun(stream, { runId: 'r', cwd: '/' });
    pretty.event({ type: 'text', runId: 'r', id: 'm1', content: 'All ' });
    pretty.event({ type: 'text', runId: 'r', id: 'm1', content: 'done.' });
    pretty.event({ type: 'text', runId: 'r', id: 'm2', content: 'Done.\n' });
    pretty.event({ type: 'text', runId: 'r', id: 'm3', content: 'Bye.' });
    expect(printed()).toBe('All done.\nDone.\nBye.');
  });

  it('prints nothing after an open question, and then what came meanwhile', () => {
    const { stream, printed } = recordedStream();
    const pretty = new PrettyRun(stream, { runId: 'r', cwd: '/' });
    pretty.event({ type: 'text', runId: 'r', id: 'm', content: 'I need this.' });
    pretty.pause(true);
    void stream.write('approve? > ');
    for (const message of ['one', 'two']) pretty.activity({ type: 'warning', timestamp: '', message, code: 'stderr' });
    pretty.event({ type: 'text', runId: 'r', id: 'n', content: 'Still here.' });
    pretty.pause(true);
    expect(printed()).toBe('I need this.\napprove? > ');
    pretty.pause(false);
    expect(printed()).toBe('I need this.\napprove? > ! one\n! two\nStill here.');
    pretty.pause(true);
    pretty.activity({ type: 'warning', timestamp: '', message: 'three' });
    pretty.end('complete', 1_000, new RunTotals());
    expect(printed()).toMatch(/! three\n\ndone/);
  });

  it('names a tool whose calls are of no known kind, instead of its record', () => {
    const { stream, printed } = recordedStream();
    const pretty = new PrettyRun(stream, { runId: 'r', cwd: '/' });
    pretty.event({ type: 'tool_call', runId: 'r', id: 'c', name: 'AskUserQuestion', input: {} });
    pretty.activity({ type: 'unknown', timestamp: '', raw: { a: 1 } });
    pretty.event({ type: 'unknown', runId: 'r', raw: { b: 2 } });
    pretty.activity({ type: 'unknown', timestamp: '', raw: { b: 2 } });
    expect(printed()).toBe('• AskUserQuestion\n? {"b":2}\n');
  });

  it('does not pass on what a terminal would execute', () => {
    const { stream, printed } = recordedStream();
    const pretty = new PrettyRun(stream, { runId: 'r', cwd: '/' });
    pretty.event({ type: 'text', runId: 'r', id: 't', content: 'a\u001b[2J\n' });
    pretty.activity({ type: 'command', timestamp: '', command: 'ls \u001b[2J' });
    expect(printed()).toBe('a[2J\n• $ ls  [2J\n');
  });

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
