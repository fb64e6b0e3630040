import type { HarnessEvent } from '../../src/control/index.ts';

/** The starts, updates and ends of messages and agents that have no partner. */
export function unpaired(events: readonly HarnessEvent[]): string[] {
  const open = new Set<string>();
  const wrong: string[] = [];
  for (const event of events) {
    if (event.type === 'message_start') open.add(event.message.id);
    if (event.type === 'message_update' && !open.has(event.message.id)) wrong.push(`update ${event.message.id}`);
    if (event.type === 'message_end' && !open.delete(event.message.id)) wrong.push(`end ${event.message.id}`);
    if (event.type === 'agent_start' && open.has('agent')) wrong.push('agent_start');
    if (event.type === 'agent_start') open.add('agent');
    if (event.type === 'agent_end' && !open.delete('agent')) wrong.push('agent_end');
    if (event.type === 'agent_end') wrong.push(...[...open].map(id => `open ${id}`));
  }
  return wrong;
}
