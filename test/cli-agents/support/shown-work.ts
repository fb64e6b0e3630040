import { type AgentEvent, toToolOutput } from '../../../src/events/index.ts';

/** What a run did, without ids, steps and usage: messages, calls, their outcomes, subagents and errors. */
export function shownWork(events: readonly AgentEvent[]): object[] {
  const work: object[] = [];
  const errors = new Set<string>();
  const messages = new Map<string, { text: string }>();
  for (const event of events)
    if (event.type === 'text') {
      const message = messages.get(event.id) ?? { text: '' };
      if (!messages.has(event.id)) work.push(message);
      messages.set(event.id, message);
      message.text += event.content;
    } else if (event.type === 'tool_call') work.push({ call: event.name, input: event.input });
    else if (event.type === 'tool_result')
      work.push({ result: event.name, isDone: 'context' in toToolOutput(event.output) });
    else if (event.type === 'error') {
      if (!errors.has(event.message)) work.push({ error: event.message });
      errors.add(event.message);
    } else if (event.type === 'unknown') work.push({ unknown: event.raw });
    else if (event.type === 'harness_start' && event.parentId !== undefined) work.push({ subagent: event.agentId });
  return work;
}
