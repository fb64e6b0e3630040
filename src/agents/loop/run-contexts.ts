import type { StandardSchemaV1 } from '@standard-schema/spec';
import { SingletreeError } from '../../base/singletree-error.ts';
import { validate } from './tool.ts';
import type { Tool } from '../contract/agent.ts';

/**
 * Returns the context of a run as each tool with a schema for it reads it, by name. Throws `context_missing` when one
 * needs a context and the run has none, `invalid_argument` when the context does not match.
 */
export async function readContexts(tools: Iterable<Tool>, context: unknown): Promise<ReadonlyMap<string, unknown>> {
  const contexts = new Map<string, unknown>();
  for (const { name, context: schema } of tools)
    if (schema !== undefined) contexts.set(name, await readContext(`The tool "${name}"`, schema, context));
  return contexts;
}

/** Returns the context of a run as a schema reads it; `owner` needs it. */
export async function readContext(owner: string, schema: StandardSchemaV1, context: unknown): Promise<unknown> {
  if (context === undefined)
    throw new SingletreeError(
      'context_missing',
      `${owner} needs the context of the run, and there is none. Pass it as \`start(…, { context })\`, or let the supervisor make it with \`contextOf\`.`,
    );
  const checked = await validate(schema, context);
  if ('value' in checked) return checked.value;
  throw new SingletreeError('invalid_argument', `The context of the run does not fit. ${owner}: ${checked.problem}`);
}
