import * as z from 'zod';
import { once } from '../base/once.ts';
import { envelope } from './define.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { type AgentEvent, getDefinition } from './vocabulary.ts';

const foreign = once(() => z.looseObject({ type: z.string().min(1), ...envelope() }));

/**
 * Returns the value itself, unchanged, when it is an event; otherwise throws `invalid_event` with the event, the field
 * and the expected value. Unknown types and fields are valid.
 */
export function parseEvent(value: unknown): AgentEvent {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const definition = typeof type === 'string' ? getDefinition(type) : undefined;
  if (definition?.passesQuickCheck(value) === true) return value as AgentEvent;
  const parsed = (definition?.schema ?? foreign()).safeParse(value);
  if (parsed.success) return value as AgentEvent;
  throw invalidEvent(type, parsed.error.issues);
}

/** Parses one line of JSON text as an event; `where` names the line in the error. */
export function parseEventText(line: string, where: string): AgentEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new SingletreeError(
      'invalid_event',
      `${where} is not JSON: ${excerpt(line)}. Expected one event as a JSON object.`,
      {
        details: { where },
        cause,
      },
    );
  }
  try {
    return parseEvent(value);
  } catch (cause) {
    if (!SingletreeError.is(cause)) throw cause;
    throw new SingletreeError(cause.code, `${where}: ${cause.message}`, {
      details: { ...cause.details, where },
      cause,
    });
  }
}

function invalidEvent(type: unknown, issues: readonly z.core.$ZodIssue[]): SingletreeError {
  const name = typeof type === 'string' ? `Event "${type}"` : 'The event';
  const issue = issues[0];
  const field = issue?.path.map(String).join('.') ?? '';
  const expected = issue?.message.replace(/^Invalid input: /, '') ?? 'expected an event';
  const message =
    field === '' ? `${name} is invalid: ${expected}.` : `${name} is invalid: field "${field}": ${expected}.`;
  return new SingletreeError('invalid_event', message, { details: { type, field, expected } });
}

function excerpt(line: string): string {
  return line.length <= 80 ? JSON.stringify(line) : `${JSON.stringify(line.slice(0, 80))}…`;
}
