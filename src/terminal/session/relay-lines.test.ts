import { describe, expect, it } from 'vitest';
import type { RelayEntry } from '../../projections/relay-book.ts';
import { emptyComposer } from '../composer/composer.ts';
import { newBand } from './relay-band.ts';
import { bandLines } from './relay-lines.ts';

const plan: RelayEntry = {
  id: 'p',
  runId: 'r',
  status: 'pending',
  relay: { type: 'relay', runId: 'r', id: 'p', relayKind: 'plan', planId: 'p', plan: '1. Write it' },
};

function linesIn(width: number, takesKeys = true): string[] {
  const place = { index: 0, count: 1, width, most: 20, place: { agentId: 'coder', cwd: '/' }, takesKeys };
  return bandLines(plan, newBand(plan, emptyComposer), place).map(line => line.map(({ text }) => text).join(''));
}

describe('the keys of what waits', () => {
  it('are in one line where they fit, and else continue with a whole key', () => {
    expect(linesIn(100).at(-1)).toBe(
      '▌ y approve and carry out · n reject with comments · Ctrl+F all of it · Esc later',
    );
    expect(linesIn(80).slice(-2)).toEqual([
      '▌ y approve and carry out · n reject with comments · Ctrl+F all of it',
      '▌ Esc later',
    ]);
  });

  it('are not offered while a message is written', () => {
    expect(linesIn(80, false).at(-1)).toBe('▌ your keys write the message · Alt+A answers this');
    expect(linesIn(40, false).at(-1)).toBe('▌ you write · Alt+A answers');
  });
});
