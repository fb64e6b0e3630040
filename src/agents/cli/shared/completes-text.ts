import { toRecord } from './wire-value.ts';

const reasoning: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/** Whether a block is the last text before anything but reasoning follows: then its message is complete. */
export function completesText(blocks: readonly unknown[], index: number): boolean {
  const typeAt = (at: number) => toRecord(blocks[at])?.['type'];
  if (typeAt(index) !== 'text') return false;
  let next = index + 1;
  while (reasoning.has(typeAt(next))) next++;
  return typeAt(next) !== 'text';
}
