import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { RunModel } from './run-model.ts';

const usage = (model?: string): AgentEvent => ({
  type: 'usage',
  runId: 'r',
  inputTokens: 1,
  outputTokens: 1,
  ...(model !== undefined && { model }),
});
const session = (model: string): AgentEvent => ({ type: 'session', runId: 'r', sessionId: 's', model });

function named(requested: string | undefined, ...events: AgentEvent[]): unknown[] {
  const model = new RunModel(requested);
  for (const event of events) model.name(event);
  return events.map(event => 'model' in event && event.model);
}

describe('the model of a run', () => {
  it('has the requested name in every event, with or without its provider', () => {
    expect(named('anthropic/opus', session('opus'), usage('opus'))).toEqual(['anthropic/opus', 'anthropic/opus']);
    expect(named('opus', session('anthropic/opus'), usage())).toEqual(['opus', 'opus']);
  });

  it('is the one that the program reports when it is another one', () => {
    expect(named('opus', session('sonnet'), usage(), usage('haiku'))).toEqual(['sonnet', 'sonnet', 'haiku']);
    expect(named(undefined, session('sonnet'), usage())).toEqual(['sonnet', 'sonnet']);
    expect(named(undefined, usage())).toEqual([false]);
  });
});
