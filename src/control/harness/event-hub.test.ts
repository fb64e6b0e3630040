import { describe, expect, it } from 'vitest';
import { EventHub } from './event-hub.ts';
import type { HarnessEvent } from './harness-event.ts';

const info = (message: string) => ({ type: 'info', message }) as const;
const typesOf = (events: readonly HarnessEvent[]) =>
  events.map(event => (event.type === 'info' ? event.message : event.type));

describe('the event hub', () => {
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
