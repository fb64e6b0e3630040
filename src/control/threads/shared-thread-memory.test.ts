import { expect, it } from 'vitest';
import { MemoryLog } from '../../log/memory-log.ts';
import { sharedThreadMemory } from './thread-memory.ts';

it('gives every user of a log the same memory, and each log its own', async () => {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const known = await sharedThreadMemory(log).of(id);
  expect(await sharedThreadMemory(log).of(id)).toBe(known);
  expect(sharedThreadMemory(new MemoryLog())).not.toBe(sharedThreadMemory(log));
});
