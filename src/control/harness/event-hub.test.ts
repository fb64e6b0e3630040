import { describe, expect, it } from 'vitest';
import { Announcer } from './event-hub.ts';
import type { HarnessEvent } from './harness-event.ts';

const info = (message: string) => ({ type: 'info', message }) as const;
const told = (events: readonly HarnessEvent[]) =>
  events.map(event => (event.type === 'info' ? event.message : event.type));

describe('the announcer', () => {
  it('tells each event, then what is shown', () => {
    const announcer = new Announcer();
    const events: HarnessEvent[] = [];
    announcer.subscribe(event => void events.push(event));
    announcer.tell({ type: 'agent_start' });
    expect(told(events)).toEqual(['agent_start', 'display_state_changed']);
    expect(events[1]).toEqual({ type: 'display_state_changed', displayState: announcer.display });
    expect(announcer.display.isRunning).toBe(true);
  });

  it('tells what only changes the display as that, and nothing when it does not', () => {
    const announcer = new Announcer();
    const events: HarnessEvent[] = [];
    announcer.subscribe(event => void events.push(event));
    announcer.tell({ type: 'tasks_restored', tasks: [] });
    announcer.tell({ type: 'relay_settled', slot: 'plan', id: 'x' });
    expect(told(events)).toEqual(['display_state_changed']);
  });

  it('tells what listeners cause after what they were told, to all in the same order', () => {
    const announcer = new Announcer();
    const orders: string[][] = [[], []];
    announcer.subscribe(event => {
      orders[0]?.push(told([event])[0] as string);
      if (event.type === 'info' && event.message === 'a') announcer.tell(info('b'));
    });
    announcer.subscribe(event => void orders[1]?.push(told([event])[0] as string));
    announcer.tell(info('a'));
    expect(orders[0]).toEqual(['a', 'display_state_changed', 'b', 'display_state_changed']);
    expect(orders[1]).toEqual(orders[0]);
  });

  it('leaves out those who ended it meanwhile, and tells all others; the same listener may listen twice', () => {
    const announcer = new Announcer();
    const seen: string[] = [];
    const listener = () => void seen.push('twice');
    const endFirst = announcer.subscribe(() => {
      endFirst();
      endThird();
    });
    announcer.subscribe(listener);
    const endThird = announcer.subscribe(() => void seen.push('third'));
    announcer.subscribe(listener);
    announcer.tell(info('a'));
    expect(seen).toEqual(['twice', 'twice', 'twice', 'twice']);
  });

  it('tells the error of a listener once, also when that cannot be heard either', async () => {
    const announcer = new Announcer();
    const errors: string[] = [];
    announcer.subscribe(event => void (event.type === 'error' && errors.push(event.error.message)));
    announcer.subscribe(() => {
      throw new Error('always');
    });
    announcer.subscribe(event => (event.type === 'info' ? Promise.reject(new Error('later')) : undefined));
    announcer.subscribeDisplay(() => {
      throw new Error('shown');
    });
    announcer.tell({ type: 'agent_start' });
    announcer.tell(info('a'));
    await Promise.resolve();
    expect(errors).toEqual(['always', 'always', 'shown', 'always', 'always', 'later']);
  });

  it('tells the later error of a listener of the display once', async () => {
    const announcer = new Announcer();
    const errors: string[] = [];
    announcer.subscribe(event => void (event.type === 'error' && errors.push(event.error.message)));
    announcer.subscribeDisplay(() => Promise.reject(new Error('shown')));
    announcer.tell({ type: 'agent_start' });
    for (let tick = 0; tick < 10; tick++) await Promise.resolve();
    expect(errors).toEqual(['shown']);
  });

  it.each(['my_custom', 'om_weird', 'constructor'])('tells what it does not know as it is: %s', type => {
    const announcer = new Announcer();
    const events: HarnessEvent[] = [];
    announcer.subscribe(event => void events.push(event));
    const shown = announcer.display;
    const custom = { type, more: 1 } as never;
    announcer.tell(custom);
    expect(events[0]).toBe(custom);
    expect(told(events)).toEqual([type, 'display_state_changed']);
    expect(announcer.display).toBe(shown);
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
  ])('reports once what cannot be shown, and tells on: %s', (_, event) => {
    const announcer = new Announcer();
    const events: HarnessEvent[] = [];
    announcer.subscribe(one => void events.push(one));
    const shown = announcer.display;
    announcer.tell(event as never);
    expect(events).toMatchObject([
      { type: 'error', errorType: 'invalid_event', error: { code: 'invalid_event' } },
      { type: 'display_state_changed' },
    ]);
    expect(announcer.display).toBe(shown);
    announcer.tell(info('a'));
    expect(told(events).slice(2)).toEqual(['a', 'display_state_changed']);
  });

  it('tells on whatever a listener throws', () => {
    const announcer = new Announcer();
    const events: HarnessEvent[] = [];
    announcer.subscribe(event => void events.push(event));
    announcer.subscribe(event => {
      if (event.type === 'info') throw Object.create(null);
    });
    announcer.tell(info('a'));
    announcer.tell(info('b'));
    expect(told(events).filter(type => type !== 'display_state_changed')).toEqual(['a', 'error', 'b', 'error']);
  });

  it('says nothing when it is closed', () => {
    const announcer = new Announcer();
    const events: HarnessEvent[] = [];
    announcer.subscribe(event => void events.push(event));
    announcer.subscribeDisplay(() => void events.push(info('shown')));
    announcer.close();
    announcer.tell({ type: 'agent_start' });
    expect(events).toEqual([]);
    expect(announcer.display.isRunning).toBe(false);
  });
});
