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

describe('queued progress reports', () => {
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
  it('resolves a put only when the next event is requested', async () => {
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

describe('the stream of some work', () => {
  const custom = (name: string): AgentEvent => ({ type: 'custom', runId: 'r', name, data: null });
  const nameOf = ({ value }: IteratorResult<AgentEvent>) => (value as { name?: string } | undefined)?.name;
  const turns = () => new Promise(resolve => setImmediate(resolve));

  it('begins when the first event is requested, and ends with the work', async () => {
    const channel = new EventChannel();
    const did: string[] = [];
    const work = async () => {
      did.push('begun');
      await channel.put(custom('a'));
      did.push('a was dealt with');
      await channel.put(custom('b'));
    };
    const stream = channel.stream(work, () => did.push('left'));
    await turns();
    expect(did).toEqual([]);
    expect(nameOf(await stream.next())).toBe('a');
    await turns();
    expect(did).toEqual(['begun']);
    expect(nameOf(await stream.next())).toBe('b');
    expect(did).toEqual(['begun', 'a was dealt with']);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await stream.return?.();
    expect(did).not.toContain('left');
  });

  it('does not block fragments until too many are queued', async () => {
    const channel = new EventChannel();
    let passed = 0;
    const work = async () => {
      for (let n = 0; n < 1000; n++) {
        passed++;
        await channel.pass(custom(`${n}`));
      }
    };
    const names: unknown[] = [];
    for await (const event of channel.stream(work, () => {})) {
      await turns();
      names.push(event.type === 'custom' && event.name);
      expect(passed).toBeLessThanOrEqual(names.length + 65);
    }
    expect(names).toEqual(Array.from({ length: 1000 }, (_, n) => `${n}`));
  });

  it('detaches a consumer that stops: later puts never resolve', async () => {
    const channel = new EventChannel();
    const did: string[] = [];
    const work = async () => {
      await channel.put(custom('a'));
      did.push('went on');
    };
    for await (const _ of channel.stream(work, () => did.push('left'))) break;
    void channel.put(custom('b')).then(() => did.push('b was dealt with'));
    await turns();
    expect(did).toEqual(['left']);
  });

  it('ends for a pending reader when it is detached', async () => {
    const channel = new EventChannel();
    const stream = channel.stream(
      () => new Promise(() => {}),
      () => {},
    );
    const next = stream.next();
    await stream.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it('fails like the work, after the events put before', async () => {
    const channel = new EventChannel();
    const stream = channel.stream(
      async () => {
        void channel.pass(custom('a'));
        throw new Error('broken');
      },
      () => {},
    );
    expect(nameOf(await stream.next())).toBe('a');
    await expect(stream.next()).rejects.toThrow('broken');
  });
});
