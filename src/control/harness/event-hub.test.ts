import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { EventHub } from './event-hub.ts';
import type { HarnessEvent } from './harness-event.ts';
import { standardError } from '../standard-output.ts';

const info = (message: string) => ({ type: 'info', message }) as const;
const typesOf = (events: readonly HarnessEvent[]) =>
  events.map(event => (event.type === 'info' ? event.message : event.type));

describe('the event hub', () => {
  let printed: MockInstance<typeof standardError.write>;
  beforeEach(() => {
    printed = vi.spyOn(standardError, 'write').mockResolvedValue(true);
  });
  afterEach(() => printed.mockRestore());

  it('emits each event, then the display state', () => {
    const hub = new EventHub();
    const events: HarnessEvent[] = [];
    hub.subscribe(event => void events.push(event));
    hub.emit({ type: 'agent_start' });
    expect(typesOf(events)).toEqual(['agent_start', 'display_state_changed']);
    expect(events[1]).toEqual({ type: 'display_state_changed', displayState: hub.display });
    expect(hub.display.isRunning).toBe(true);
  });

  it('emits a display-only event as display_state_changed, and nothing when it has no effect', () => {
    const hub = new EventHub();
    const events: HarnessEvent[] = [];
    hub.subscribe(event => void events.push(event));
    hub.emit({ type: 'tasks_restored', tasks: [] });
    hub.emit({ type: 'relay_settled', slot: 'plan', id: 'x' });
    expect(typesOf(events)).toEqual(['display_state_changed']);
  });

  it('queues events that listeners cause, and emits them in the same order to all', () => {
    const hub = new EventHub();
    const orders: string[][] = [[], []];
    hub.subscribe(event => {
      orders[0]?.push(typesOf([event])[0] as string);
      if (event.type === 'info' && event.message === 'a') hub.emit(info('b'));
    });
    hub.subscribe(event => void orders[1]?.push(typesOf([event])[0] as string));
    hub.emit(info('a'));
    expect(orders[0]).toEqual(['a', 'display_state_changed', 'b', 'display_state_changed']);
    expect(orders[1]).toEqual(orders[0]);
  });

  it('skips listeners that unsubscribe meanwhile; the same listener may subscribe twice', () => {
    const hub = new EventHub();
    const seen: string[] = [];
    const listener = () => void seen.push('twice');
    const endFirst = hub.subscribe(() => {
      endFirst();
      endThird();
    });
    hub.subscribe(listener);
    const endThird = hub.subscribe(() => void seen.push('third'));
    hub.subscribe(listener);
    hub.emit(info('a'));
    expect(seen).toEqual(['twice', 'twice', 'twice', 'twice']);
  });

  it('emits the error of a listener once, even when the report fails, too', async () => {
    const hub = new EventHub();
    const errors: string[] = [];
    hub.subscribe(event => void (event.type === 'error' && errors.push(event.error.message)));
    hub.subscribe(() => {
      throw new Error('always');
    });
    hub.subscribe(event => (event.type === 'info' ? Promise.reject(new Error('later')) : undefined));
    hub.subscribeDisplay(() => {
      throw new Error('shown');
    });
    hub.emit({ type: 'agent_start' });
    hub.emit(info('a'));
    await Promise.resolve();
    expect(errors).toEqual(['always', 'always', 'shown', 'always', 'always', 'later']);
  });

  describe('without a listener that can receive an error', () => {
    const failing = () => {
      throw new Error('shown');
    };

    it.each<[string, (hub: EventHub) => unknown]>([
      ['a display listener', hub => hub.subscribeDisplay(failing)],
      ['an asynchronous display listener', hub => hub.subscribeDisplay(async () => failing())],
      ['a listener', hub => hub.subscribe(failing)],
      ['an asynchronous listener', hub => hub.subscribe(async () => failing())],
      ['a listener of errors', hub => hub.subscribe(event => void (event.type === 'error' && failing()))],
    ])('prints the error of %s', async (_, listen) => {
      const hub = new EventHub();
      listen(hub);
      hub.emit({ type: 'error', error: new Error('first') });
      await expect.poll(() => printed.mock.calls.length).toBeGreaterThan(0);
      expect(printed.mock.calls[0]?.[0]).toContain('Error: shown');
    });
  });

  it('emits the asynchronous error of a display listener once', async () => {
    const hub = new EventHub();
    const errors: string[] = [];
    hub.subscribe(event => void (event.type === 'error' && errors.push(event.error.message)));
    hub.subscribeDisplay(() => Promise.reject(new Error('shown')));
    hub.emit({ type: 'agent_start' });
    for (let tick = 0; tick < 10; tick++) await Promise.resolve();
    expect(errors).toEqual(['shown']);
  });

  it.each(['my_custom', 'om_weird', 'constructor'])('emits an unknown event unchanged: %s', type => {
    const hub = new EventHub();
    const events: HarnessEvent[] = [];
    hub.subscribe(event => void events.push(event));
    const shown = hub.display;
    const custom = { type, more: 1 } as never;
    hub.emit(custom);
    expect(events[0]).toBe(custom);
    expect(typesOf(events)).toEqual([type, 'display_state_changed']);
    expect(hub.display).toBe(shown);
  });

  it.each<[string, unknown]>([
    ['usage without counts', { type: 'usage_update' }],
    ['a status of memory without windows', { type: 'om_status' }],
    ['tasks without a list', { type: 'task_updated' }],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'info'],
    ['no type', {}],
    ['a type that is no text', { type: 7 }],
  ])('reports an invalid event once, and continues: %s', (_, event) => {
    const hub = new EventHub();
    const events: HarnessEvent[] = [];
    hub.subscribe(one => void events.push(one));
    const shown = hub.display;
    hub.emit(event as never);
    expect(events).toMatchObject([
      { type: 'error', errorType: 'invalid_event', error: { code: 'invalid_event' } },
      { type: 'display_state_changed' },
    ]);
    expect(hub.display).toBe(shown);
    hub.emit(info('a'));
    expect(typesOf(events).slice(2)).toEqual(['a', 'display_state_changed']);
  });

  it('continues after a listener throws', () => {
    const hub = new EventHub();
    const events: HarnessEvent[] = [];
    hub.subscribe(event => void events.push(event));
    hub.subscribe(event => {
      if (event.type === 'info') throw Object.create(null);
    });
    hub.emit(info('a'));
    hub.emit(info('b'));
    expect(typesOf(events).filter(type => type !== 'display_state_changed')).toEqual(['a', 'error', 'b', 'error']);
  });

  it('has a display that cannot be changed', () => {
    const hub = new EventHub();
    hub.emit({ type: 'agent_start' });
    hub.emit({ type: 'tool_start', toolCallId: 'a', toolName: 'look', args: {} });
    const display = hub.display as { isRunning: boolean } & typeof hub.display;
    const tool = display.activeTools.get('a') as { name: string };
    for (const change of [
      () => (display.isRunning = false),
      () => display.activeTools.clear(),
      () => display.activeTools.set('b', display.activeTools.get('a') as never),
      () => display.activeSubagents.delete('a'),
      () => (tool.name = 'other'),
      () => ((display.omProgress as { status: string }).status = 'observing'),
    ])
      expect(change).toThrow(TypeError);
    expect(structuredClone(display).activeTools.set('b', tool as never).size).toBe(2);
    hub.emit({ type: 'tool_start', toolCallId: 'b', toolName: 'look', args: {} });
    expect([...hub.display.activeTools.keys()]).toEqual(['a', 'b']);
    expect(display.activeTools.size).toBe(1);
  });

  it('shows nothing running and nothing pending when it is closed', () => {
    const hub = new EventHub();
    const shown: boolean[] = [];
    hub.emit({ type: 'agent_start' });
    hub.emit({ type: 'tool_start', toolCallId: 'a', toolName: 'look', args: {} });
    hub.emit({ type: 'tool_approval_required', toolCallId: 'a', toolName: 'look', args: {} });
    hub.emit({ type: 'ask_question', questionId: 'q', question: 'Which?' });
    hub.subscribeDisplay(({ isRunning }) => void shown.push(isRunning));
    hub.close();
    hub.close();
    expect(hub.display).toMatchObject({ isRunning: false, pendingApproval: null, pendingQuestion: null });
    expect(hub.display.activeTools.get('a')?.status).toBe('error');
    expect(shown).toEqual([false]);
  });

  it('emits nothing after close', () => {
    const hub = new EventHub();
    const events: HarnessEvent[] = [];
    hub.subscribe(event => void events.push(event));
    hub.subscribeDisplay(() => void events.push(info('shown')));
    hub.close();
    hub.emit({ type: 'agent_start' });
    expect(events).toEqual([]);
    expect(hub.display.isRunning).toBe(false);
  });
});
