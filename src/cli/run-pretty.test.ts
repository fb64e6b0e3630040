import { describe, expect, it } from 'vitest';
import { PrettyRun } from './run-pretty.ts';
import { RunTotals } from './run-totals.ts';

describe('a run for people', () => {
  it('is one block of text, one line per activity and a summary', () => {
    let screen = '';
    const pretty = new PrettyRun({ write: text => void (screen += text), isLive: false }, 'r');
    pretty.event({ type: 'text', runId: 'r', id: 't', content: 'Hello.\n' });
    pretty.event({ type: 'text', runId: 'r', id: 't', content: '', final: true });
    pretty.event({ type: 'text', runId: 'r/a/run', id: 'u', content: 'of a subagent' });
    pretty.activity({ type: 'read', timestamp: '', path: '/a' });
    const totals = new RunTotals();
    totals.add({ type: 'tool_result', runId: 'r', id: 'c', name: 'bash', output: { status: 'denied', reason: 'no' } });
    pretty.end('complete', 1_000, totals);
    expect(screen).toMatch(/^Hello\.\n• read \/a\n\ndone · .* · denied: bash\n$/);
  });
});
