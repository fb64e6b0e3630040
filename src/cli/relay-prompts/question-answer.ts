import type { EventOf } from '../../events/index.ts';

type Question = Extract<EventOf<'relay'>, { relayKind: 'question' }>;

/** Returns the answer that a line means: options by their numbers, several with commas where several may be taken. */
export function questionAnswer({ options = [], selectionMode }: Question, line: string): string | string[] {
  const labelOf = (text: string) => options[Number(text.trim()) - 1]?.label ?? text.trim();
  return selectionMode === 'multi_select' ? line.split(',').map(labelOf) : labelOf(line);
}
