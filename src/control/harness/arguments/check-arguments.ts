import { SingletreeError } from '../../../events/index.ts';
import { methodSchemas } from './method-schemas.ts';

/** Throws `invalid_argument` when a method was given what it cannot take: to be called before it does anything. */
export function checkArguments(method: keyof typeof methodSchemas, given: unknown): void {
  const { schema, isSure } = methodSchemas[method]();
  if (isSure(given)) return;
  const [issue] = schema.safeParse(given).error?.issues ?? [];
  if (issue === undefined) return;
  const path = issue.path.map(String).join('.');
  throw new SingletreeError(
    'invalid_argument',
    `\`${method}\` cannot take what it was given${path === '' ? '' : ` as \`${path}\``}: ${issue.message}.`,
    { details: { method, path } },
  );
}
