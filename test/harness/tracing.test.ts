import { describe, expect, it } from 'vitest';
import { RequestContext, traceIdOf } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { calls, isDetached, scene, waitingTool, yolo } from './scene.ts';

/** A harness whose run waits, and what its first event says about its trace. */
function waiting(storage = new MemoryLog()) {
  const { tool, begun, end } = waitingTool();
  const script = ({ step }: { step: number }) => (step === 0 ? [calls('wait')] : 'Done.');
  const made = scene(script, { storage, tools: { wait: { ...tool } }, ...yolo });
  const traces = async () => {
    const events = await storage.read(made.harness.getCurrentThreadId() as string);
    return events.flatMap(event => (event.type === 'harness_start' ? [event.trace] : []));
  };
  return { ...made, begun, end, traces };
}

describe('the trace of a run', () => {
  it('is derived from the run id by default, and available during the run', async () => {
    const { harness, begun, end, traces } = waiting();
    expect(harness.getCurrentTraceId()).toBe(null);
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    expect(harness.getCurrentTraceId()).toMatch(/^[0-9a-f]{32}$/);
    expect(harness.getCurrentTraceId()).toBe(traceIdOf(harness.getCurrentRunId() as string));
    end.open();
    await sending;
    expect(harness.getCurrentTraceId()).toBe(null);
    expect(await traces()).toEqual([undefined]);
  });

  it('is the one that the sender names, stored in the first event of the run', async () => {
    const { harness, begun, end, traces } = waiting();
    const requestContext = new RequestContext([['user', { id: 7 }]]);
    const sending = harness.sendMessage({
      content: 'Go.',
      requestContext,
      tracingOptions: {
        traceId: 'abc1',
        parentSpanId: 'd2',
        tags: ['nightly'],
        metadata: { build: 3 },
        requestContextKeys: ['user.id', 'user.name'],
      },
    });
    await begun.opened;
    expect(harness.getCurrentTraceId()).toBe('abc1');
    end.open();
    await sending;
    const metadata = { 'user.id': 7, build: 3 };
    expect(await traces()).toEqual([{ traceId: 'abc1', parentSpanId: 'd2', tags: ['nightly'], metadata }]);
  });

  it('is that of its span; an injected message belongs to it', async () => {
    const { harness, begun, end, traces } = waiting();
    const sending = harness.sendMessage({
      content: 'Go.',
      tracingContext: { currentSpan: { id: 'd2', traceId: 'abc1' } },
    });
    await begun.opened;
    await harness.sendMessage({ content: 'More.', tracingOptions: { traceId: 'fff' } });
    expect(harness.getCurrentTraceId()).toBe('abc1');
    end.open();
    await sending;
    expect(await traces()).toEqual([{ traceId: 'abc1', parentSpanId: 'd2' }]);
  });

  it('has an id also when only tags are given', async () => {
    const { harness, begun, end, traces } = waiting();
    const sending = harness.sendMessage({ content: 'Go.', tracingOptions: { tags: ['nightly'] } });
    await begun.opened;
    const traceId = harness.getCurrentTraceId();
    end.open();
    await sending;
    expect(await traces()).toEqual([{ traceId, tags: ['nightly'] }]);
  });

  it('is known to a second harness that resumes the run', async () => {
    const storage = new MemoryLog();
    const first = waiting(storage);
    const sending = first.harness.sendMessage({ content: 'Go.', tracingOptions: { traceId: 'abc1' } });
    await first.begun.opened;
    await first.harness.destroy();
    await isDetached(sending);
    const second = scene(() => 'Done.', { storage, ...yolo });
    const traces: unknown[] = [];
    second.harness.subscribe(({ type }) => {
      if (type === 'message_update') traces.push(second.harness.getCurrentTraceId());
    });
    await second.harness.selectOrCreateThread();
    await second.on('agent_end');
    expect(new Set(traces)).toEqual(new Set(['abc1']));
  });

  it('is rejected when it is invalid, and so are unsupported options', async () => {
    const { harness } = scene([]);
    for (const tracingOptions of [{ traceId: 'xyz' }, { traceId: '0'.repeat(33) }, { parentSpanId: '0'.repeat(17) }])
      await expect(harness.sendMessage({ content: 'Go.', tracingOptions })).rejects.toThrow('hexadecimal digits');
    await expect(harness.sendMessage({ content: 'Go.', tracingOptions: { hideInput: true } })).rejects.toThrow(
      'not supported',
    );
  });

  it('is deterministic for a run id that is not a UUID', () => {
    expect(traceIdOf('run')).toBe(traceIdOf('run'));
    expect(traceIdOf('run')).toMatch(/^[0-9a-f]{32}$/);
    expect(traceIdOf('run')).not.toBe(traceIdOf('other'));
  });
});
