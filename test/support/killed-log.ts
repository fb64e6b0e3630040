import type { EventLog } from '../../src/log/index.ts';

const writes: ReadonlySet<string> = new Set([
  'append',
  'appendRaw',
  'createThread',
  'updateThread',
  'deleteThread',
  'branch',
  'acquireLease',
  'renewLease',
  'releaseLease',
]);

/** A log as a process has it that is killed before its next write after so many: from then on nothing is answered. */
export function killedLog(
  log: EventLog,
  after: number,
): { readonly log: EventLog; readonly killed: Promise<void>; readonly kill: () => void } {
  let left = after;
  let isKilled = false;
  let kill = () => {};
  const killed = new Promise<void>(resolve => {
    kill = () => {
      isKilled = true;
      resolve();
    };
  });
  const proxy = new Proxy(log, {
    get: (target, name: keyof EventLog) => {
      const value: unknown = target[name];
      if (typeof value !== 'function' || name === 'now') return value;
      return (...given: unknown[]): unknown => {
        if (writes.has(name) && left-- === 0) kill();
        if (!isKilled) return Reflect.apply(value, target, given);
        const never = new Promise(() => {});
        return name === 'tail' ? { [Symbol.asyncIterator]: () => ({ next: () => never }) } : never;
      };
    },
  });
  return { log: proxy, killed, kill };
}

/** A log as a process has it whose leases have this owner. */
export function ownedLog(log: EventLog, owner: string): EventLog {
  return new Proxy(log, {
    get: (target, name: keyof EventLog) => {
      const value: unknown = target[name];
      if (name === 'acquireLease')
        return (lease: string, request: Parameters<EventLog['acquireLease']>[1]) =>
          target.acquireLease(lease, { ...request, owner });
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
