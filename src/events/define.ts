import * as z from 'zod';
import { once } from '../base/once.ts';
import { quickValidator } from './quick-validate.ts';

/** Any value that JSON can carry; absent is not a value. */
export const jsonValue = () => z.unknown().refine((value): boolean => value !== undefined, 'expected a JSON value');

/** Data that a provider needs back with a part in later requests, such as a signature. */
export const providerMetadata = () =>
  z.record(z.string(), z.unknown()).optional().describe('data that the provider needs back in later requests');

/** The fields that every event may carry. */
export const envelope = once(() => ({
  runId: z.string().min(1).describe('the run this event belongs to'),
  parentId: z
    .string()
    .min(1)
    .optional()
    .describe('the node that caused the run: a tool call, a repl input, a user node'),
  ts: z.iso.datetime({ offset: true }).optional().describe('when it was seen; the log stamps it when absent'),
  seq: z.int().positive().optional().describe('its place in the thread; only the log assigns it'),
  sessionId: z.string().optional().describe('the session of the external program that produced it'),
  agentId: z.string().optional().describe('the agent that made it'),
  line: z.int().positive().optional().describe('the number of the raw line it was translated from'),
}));

/**
 * How the log treats an event of a run: a `delta` may be merged with its neighbours before it is stored, a `barrier` is
 * stored before its producer continues, a `plain` event is stored in order, with the next event or after a short delay.
 */
export type Durability = 'delta' | 'barrier' | 'plain';

export interface EventDefinition<Type extends string = string, Schema extends z.ZodType = z.ZodType> {
  readonly type: Type;
  readonly family: string;
  readonly doc: string;
  readonly durability: Durability;
  /** The string field that grows, for a delta. */
  readonly fragment?: string;
  readonly schema: Schema;
  /** The fast path of the validation: true only for valid events; when false, the schema decides. */
  readonly passesQuickCheck: (value: unknown) => boolean;
}

interface Traits {
  doc: string;
  durability?: Durability;
  fragment?: string;
}

/** Creates the schema of one event: its type, the envelope, its own fields. Unknown fields pass through. */
export function eventShape<const Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  const shape: unknown = { type: z.literal(type), ...envelope(), ...fields };
  return z.looseObject(
    shape as { type: z.ZodLiteral<Type> } & Omit<ReturnType<typeof envelope>, keyof Fields> & Fields,
  );
}

/** Creates a family of events; the returned function defines one event of it, whose schema is built on first use. */
export function family(name: string) {
  return <const Type extends string, Schema extends z.ZodType>(
    type: Type,
    traits: Traits,
    schema: () => Schema,
  ): EventDefinition<Type, Schema> => {
    const built = once(schema);
    const sure = once(() => quickValidator(built()));
    return {
      type,
      family: name,
      durability: 'plain',
      ...traits,
      get schema() {
        return built();
      },
      passesQuickCheck: value => sure()(value),
    };
  };
}
