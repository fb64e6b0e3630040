import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/index.ts';
import { EventChannel } from './event-channel.ts';

const report = (content: unknown, toolCallId = 'c') =>
  ({ type: 'tool_progress', runId: 'r', id: 'p', toolCallId, name: 't', content }) as const;
const contents = async (channel: EventChannel) => {
  const events: AgentEvent[] = [];
  for await (const event of channel.until(Promise.resolve())) events.push(event);
  return events.map(event => (event.type === 'tool_progress' ? event.content : event.type));
};

describe('reports that wait to be taken', () => {
  it('are replaced by the next one of the same call', async () => {
    const channel = new EventChannel();
    channel.report(report(1));
    channel.report(report('other', 'd'));
    channel.report(report(2));
    expect(await contents(channel)).toEqual([2, 'other']);
  });

  it('are joined when they are pieces of output', async () => {
    const channel = new EventChannel();
    for (const [stream, output] of [
      ['stdout', 'a'],
      ['stderr', 'x'],
      ['stdout', 'b'],
      ['stderr', 'y'],
    ])
      channel.report(report({ stream, output }));
    expect(await contents(channel)).toEqual([
      { stream: 'stdout', output: 'ab' },
      { stream: 'stderr', output: 'xy' },
    ]);
  });
});

describe('a channel', () => {
  it('lets whoever put an event go on only when the next one is asked for', async () => {
    const channel = new EventChannel();
    let isTaken = false;
    void channel.put({ type: 'custom', runId: 'r', name: 'a', data: null }).then(() => (isTaken = true));
    const events = channel.until(new Promise(() => {}));
    await events.next();
    await Promise.resolve();
    expect(isTaken).toBe(false);
    void events.next();
    await new Promise(resolve => setImmediate(resolve));
    expect(isTaken).toBe(true);
  });
});
