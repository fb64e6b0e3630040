import * as z from 'zod';
import { defined } from '../base/defined.ts';

const clientTool = () =>
  z.looseObject({
    name: z.string().min(1).describe('its name, for the model'),
    description: z.string().optional().describe('the description for the model'),
    parameters: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of its input'),
  });

/** A tool that the client of a run executes: the run waits for its result. */
export interface ClientTool {
  readonly name: string;
  readonly description?: string | undefined;
  /** JSON Schema of its input; any object when absent. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
}

/** The additions of a client to an agent, for the run that it requests. */
export interface RunAdditions {
  /** Tools that the client executes; the agent's own come first where names are equal. */
  readonly tools?: readonly ClientTool[] | undefined;
  /** Text appended to the agent's instructions. */
  readonly instructions?: string | undefined;
}

/** Returns the schema of the event field for the additions of a client to a run. */
export const runAdditions = () =>
  z
    .looseObject({
      tools: z.array(clientTool()).optional().describe('tools that the client executes'),
      instructions: z.string().optional().describe("words that follow the agent's instructions"),
    })
    .optional()
    .describe('tools and context that the client adds to the agent for this run');

/** Returns the additions of a client in the form of the event field. */
export function storedAdditions({ tools, instructions }: RunAdditions): {
  tools?: { name: string; description?: string; parameters?: Record<string, unknown> }[];
  instructions?: string;
} {
  const listed = tools?.map(({ name, description, parameters }) => ({
    name,
    ...defined({ description, parameters: parameters && { ...parameters } }),
  }));
  return defined({ tools: listed, instructions });
}
