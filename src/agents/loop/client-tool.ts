import * as z from 'zod';
import type { ClientTool } from '../../events/run-additions.ts';
import type { Tool } from '../contract/agent.ts';

/**
 * Creates the tool for a tool that the client of a run executes: a call waits, as a suspension, until the client answers
 * with the result. It only asks, so that a call of a process that ended is executed again.
 */
export function clientTool({ name, description = name, parameters }: ClientTool): Tool {
  return {
    name,
    description,
    input: z.looseObject({}),
    inputJsonSchema: { ...(parameters ?? { type: 'object', properties: {} }) },
    category: 'conversation',
    repeatable: true,
    execute: async (input, call) => {
      const answer = await call.ask({
        relayKind: 'suspension',
        tool: name,
        params: input as Record<string, unknown>,
        forClient: true,
        answers: ['answer', 'reject'],
      });
      if (answer === undefined) throw new Error(`The client executes "${name}", and no client can be asked here.`);
      if (answer.outcome !== 'answer') throw new Error(answer.feedback ?? 'The client did not execute the call.');
      return { context: answer.input ?? answer.answer ?? '' };
    },
  };
}
