import { describe, expect, it } from 'vitest';
import { SerialQueue, SerialQueues } from './serial-queue.ts';

/** A task that notes when it begins and ends, and ends when the test releases it. */
function tasks() {
  const notes: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => async () => {
    notes.push(`${name} begins`);
    await new Promise<void>(resolve => ends.set(name, resolve));
    notes.push(`${name} ends`);
    return name;
  };
  return { notes, task, end: (name: string) => ends.get(name)?.() };
}

describe('a serial queue', () => {
  it('runs one task at a time, in their order', async () => {
    const { notes, task, end } = tasks();
    const queue = new SerialQueue();
    const done = [queue.run(task('a')), queue.run(task('b'))];
    await Promise.resolve();
    expect(notes).toEqual(['a begins']);
    end('a');
    await done[0];
    await Promise.resolve();
    await Promise.resolve();
    expect(notes).toEqual(['a begins', 'a ends', 'b begins']);
    end('b');
    expect(await Promise.all(done)).toEqual(['a', 'b']);
  });

  it('continues after a task that fails or throws', async () => {
    const queue = new SerialQueue();
    const failing = queue.run(() => Promise.reject(new Error('no')));
    const throwing = queue.run(() => {
      throw new Error('never');
    });
    const last = queue.run(() => 'done');
    await expect(failing).rejects.toThrow('no');
    await expect(throwing).rejects.toThrow('never');
    expect(await last).toBe('done');
  });

  it('passes a failure of what it waits for to the first task only', async () => {
    const queue = new SerialQueue(Promise.reject(new Error('not ready')));
    const [first, second] = [queue.run(() => 1), queue.run(() => 2)];
    await expect(first).rejects.toThrow('not ready');
    expect(await second).toBe(2);
  });
});

describe('serial queues', () => {
  it('run the tasks of different keys side by side, and keep no key without tasks', async () => {
    const { notes, task, end } = tasks();
    const queues = new SerialQueues();
    const done = [queues.run('x', task('a')), queues.run('y', task('b')), queues.run('x', task('c'))];
    await Promise.resolve();
    expect(notes).toEqual(['a begins', 'b begins']);
    expect(queues.size).toBe(2);
    end('a');
    end('b');
    await Promise.all(done.slice(0, 2));
    end('c');
    await done[2];
    expect(queues.size).toBe(0);
  });
});
