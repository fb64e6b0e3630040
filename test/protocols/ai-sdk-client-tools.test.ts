import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { createConversation, defaultActive, reduceConversation } from '../../src/graph/index.ts';
import { projectThread } from '../../src/projections/index.ts';
import { aiSdkEncoder, type AiSdkOptions, type UiMessage, uiMessages } from '../../src/protocols/index.ts';
import { encodeAll } from '../../src/protocols/encoder.ts';
import { requestLog } from '../support/random-requests.ts';
import { examples } from '../support/request-examples.ts';
import { lawRuns } from '../support/run-size.ts';
import { readMessage, versions } from './ai-sdk-clients.ts';

const toolNames = (events: readonly AgentEvent[]) => [
  ...new Set(events.flatMap(event => (event.type === 'tool_call' ? [event.name] : []))),
];

/** Whether the input of a call was written for a tool of another name: a part keeps the kind it began with. */
function isRenamed(event: AgentEvent, events: readonly AgentEvent[]): boolean {
  if (event.type !== 'tool_input_delta') return false;
  return events.some(each => each.type === 'tool_call' && each.id === event.id && each.name !== event.name);
}

/** A message in which the calls of these tools have static parts; clients add the raw input to some of them. */
function declared(message: unknown, tools: readonly string[]): unknown {
  if (message === undefined) return undefined;
  const { parts, ...rest } = message as UiMessage;
  return {
    ...rest,
    parts: parts.map(given => {
      const { toolName, rawInput: _, ...part } = given;
      if (typeof toolName !== 'string') return part;
      return tools.includes(toolName) ? { ...part, type: `tool-${toolName}` } : { ...part, toolName };
    }),
  };
}

describe.each(versions)('the tools that a client of AI SDK %i declares', version => {
  const read = (events: readonly AgentEvent[], options: AiSdkOptions = {}) =>
    readMessage(version, encodeAll(aiSdkEncoder({ ...options, version }), events));

  it('have static parts, in the states of dynamic ones', async () => {
    const law = fc.asyncProperty(requestLog(), fc.integer({ min: 0, max: 3 }), async (events, most) => {
      const clientTools = toolNames(events).slice(0, most);
      fc.pre(!events.some(event => isRenamed(event, events)));
      const { message, errors } = await read(events, { clientTools });
      const dynamic = await read(events);
      expect(declared(message, clientTools)).toEqual(declared(dynamic.message, clientTools));
      expect(errors).toEqual(dynamic.errors);
    });
    await fc.assert(law, { numRuns: lawRuns(60) });
  });

  it.each(['a tool with progress', 'tools that fail and are denied', 'approvals'] as const)(
    'have the parts of the stream when a chat is opened again: %s',
    async name => {
      const events = examples[name];
      const clientTools = toolNames(events);
      const conversation = events.reduce(reduceConversation, createConversation());
      const nodes = [...projectThread(conversation, { ...defaultActive(conversation), full: true })];
      const types = (message: unknown) =>
        (message as UiMessage).parts.flatMap(({ type, toolCallId }) => (toolCallId === undefined ? [] : [type]));
      const stored = uiMessages(nodes, { version, clientTools }).find(({ role }) => role === 'assistant');
      const streamed = types((await read(events, { clientTools })).message);
      expect(streamed.length).toBeGreaterThan(0);
      expect(streamed.every(type => type.startsWith('tool-'))).toBe(true);
      expect(types(stored)).toEqual(streamed);
    },
  );
});
