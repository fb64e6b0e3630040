import { SingletreeError } from '../../../events/index.ts';
import { taken } from './method-schemas.ts';

/** Throws `invalid_argument` when a method was given what it cannot take: to be called before it does anything. */
export function checkArguments(method: keyof typeof taken, given: unknown): void {
  const { schema, isSure } = taken[method]();
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
