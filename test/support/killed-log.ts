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
export function killedLog(log: EventLog, after: number): { readonly log: EventLog; readonly killed: Promise<void> } {
  let left = after;
  let kill = () => {};
  let isKilled = false;
  const killed = new Promise<void>(resolve => {
    kill = resolve;
  });
  const proxy = new Proxy(log, {
    get: (target, name: keyof EventLog) => {
      const value: unknown = target[name];
      if (typeof value !== 'function' || name === 'now') return value;
      return (...given: unknown[]): unknown => {
        if (writes.has(name) && left-- === 0) isKilled = true;
        if (isKilled) kill();
        if (!isKilled) return Reflect.apply(value, target, given);
        const never = new Promise(() => {});
        return name === 'tail' ? { [Symbol.asyncIterator]: () => ({ next: () => never }) } : never;
      };
    },
  });
  return { log: proxy, killed };
}
