import type { Message } from '../../src/projections/message.ts';

const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** What a strict provider would refuse about these messages, one line each; empty when they are valid. */
export function refusals(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  const rest = messages.slice(messages.findIndex(message => message.role !== 'system'));
  if (messages.length === 0) return [];
  if (rest[0]?.role === 'tool') problems.push('the first message is the result of no call');
  rest.forEach((message, at) => {
    const next = rest[at + 1];
    const where = `message ${at} (${message.role})`;
    if (message.role === 'system') problems.push(`${where} is not at the beginning`);
    if (next?.role === message.role) problems.push(`${where} is followed by one of the same role`);
    if (message.content.length === 0) problems.push(`${where} is empty`);
    if (message.role === 'user' && typeof message.content === 'string' && message.content.trim() === '')
      problems.push(`${where} is blank`);
    if (message.role === 'tool' && rest[at - 1]?.role !== 'assistant') problems.push(`${where} follows no call`);
    if (typeof message.content !== 'string')
      for (const part of message.content)
        if (part.type === 'text' && part.text.trim() === '') problems.push(`${where} has a blank part`);
    if (message.role !== 'assistant') return;
    if (message.content.every(part => part.type === 'reasoning')) problems.push(`${where} has only reasoning`);
    const calls = message.content.filter(part => part.type === 'tool_call');
    for (const { id, name } of calls) {
      if (!idPattern.test(id)) problems.push(`${where}: the id "${id}" is not allowed`);
      if (!idPattern.test(name)) problems.push(`${where}: the name "${name}" is not allowed`);
      if (ids.has(id)) problems.push(`${where}: the id "${id}" is used twice`);
      ids.add(id);
    }
    const results = next?.role === 'tool' ? next.content : [];
    const pairs = [calls, results].map(parts => parts.map(({ id, name }) => `${id} ${name}`).join(', '));
    if (pairs[0] !== pairs[1]) problems.push(`${where}: calls ${pairs[0]}, results ${pairs[1]}`);
  });
  return problems;
}
