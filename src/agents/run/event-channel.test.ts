import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { EventChannel, forwardEvents } from './event-channel.ts';

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

  it('are kept when they are milestones, in order, unless there are very many', async () => {
    const channel = new EventChannel();
    const milestones = [1, 2, 3].map(phaseIndex => ({ label: 'Build', phaseIndex, totalPhases: 3 }));
    const reported = [milestones[0], 1, 2, milestones[1], { milestone: { matched: 142 } }, { label: 'Last' }, 3];
    for (const content of reported) channel.report(report(content));
    expect(await contents(channel)).toEqual(reported.filter(content => content !== 1 && content !== 2));
    for (let phaseIndex = 1; phaseIndex <= 5_000; phaseIndex++) channel.report(report({ phaseIndex }));
    const kept = await contents(channel);
    expect([kept.length, kept.at(-1)]).toEqual([1_000, { phaseIndex: 5_000 }]);
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

describe('events of a run that are forwarded to the channel of another', () => {
  const custom = (name: string): AgentEvent => ({ type: 'custom', runId: 'child', name, data: null });
  const turns = () => new Promise(resolve => setImmediate(resolve));
  const nameOf = (event: AgentEvent) => (event as { name?: string }).name;
  /** Two channels: what the work puts into the first one is read from the second. */
  const forwarded = (work: (child: EventChannel) => Promise<void>, onLeave = () => {}) => {
    const child = new EventChannel();
    const parent = new EventChannel();
    const stream = child.stream(
      () => work(child),
      () => {},
    );
    return { child, events: parent.stream(() => forwardEvents(stream, parent), onLeave) };
  };

  it('keep their order, and hold their producer back until the consumer requests the next one', async () => {
    const did: string[] = [];
    const { events } = forwarded(async child => {
      await child.pass(custom('a'));
      await child.put(custom('b'));
      did.push('b was handled');
      child.report(report(1));
      await child.put(custom('c'));
    });
    const names: unknown[] = [];
    for await (const event of events) {
      await turns();
      names.push(nameOf(event));
      if (nameOf(event) === 'b') expect(did).toEqual([]);
    }
    expect(names).toEqual(['a', 'b', 't', 'c']);
    expect(did).toEqual(['b was handled']);
  });

  it('reach the listeners of both channels before they are queued', async () => {
    const seen: string[] = [];
    const child = new EventChannel();
    const parent = new EventChannel();
    child.onPut(event => seen.push(`child ${nameOf(event)}`));
    parent.onPut(event => seen.push(`parent ${nameOf(event)}`));
    const stream = child.stream(
      () => child.put(custom('a')),
      () => {},
    );
    void forwardEvents(stream, parent);
    expect(seen).toEqual(['child a', 'parent a']);
  });

  it('are bounded: a fragment waits when too many are queued', async () => {
    let passed = 0;
    const { events } = forwarded(async child => {
      for (let n = 0; n < 500; n++) {
        passed++;
        await child.pass(custom(`${n}`));
      }
    });
    let count = 0;
    for await (const _ of events) {
      await turns();
      expect(passed).toBeLessThanOrEqual(++count + 65);
    }
    expect(count).toBe(500);
  });

  it('never resolve for their producer when the consumer has detached', async () => {
    const did: string[] = [];
    const { child, events } = forwarded(
      async channel => {
        await channel.put(custom('a'));
        did.push('went on');
      },
      () => did.push('left'),
    );
    for await (const _ of events) break;
    void child.put(custom('b')).then(() => did.push('b was handled'));
    await turns();
    expect(did).toEqual(['left']);
  });

  it('end with the error of the run', async () => {
    const { events } = forwarded(async () => {
      throw new Error('broken');
    });
    await expect(events.next()).rejects.toThrow('broken');
  });

  it('come one by one from a stream that is not of a channel', async () => {
    const parent = new EventChannel();
    const did: string[] = [];
    async function* agent() {
      yield custom('a');
      did.push('a was handled');
      yield custom('b');
    }
    const events = parent.stream(
      () => forwardEvents(agent(), parent),
      () => {},
    );
    await events.next();
    await turns();
    expect(did).toEqual([]);
    await events.next();
    expect(did).toEqual(['a was handled']);
  });

  it('do not replace the report of a call with the same id in another run', async () => {
    const channel = new EventChannel();
    channel.report(report(1));
    channel.report({ ...report(2), runId: 'other' });
    expect(await contents(channel)).toEqual([1, 2]);
  });
});
