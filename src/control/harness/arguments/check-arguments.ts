import { SingletreeError } from '../../../events/index.ts';
import { methodSchemas } from './method-schemas.ts';

/** Throws `invalid_argument` when the arguments of a method are invalid; call it before the method has any effect. */
export function checkArguments(method: keyof typeof methodSchemas, given: unknown): void {
  const { schema, isSure } = methodSchemas[method]();
  if (isSure(given)) return;
  const [issue] = schema.safeParse(given).error?.issues ?? [];
  if (issue === undefined) return;
  const path = issue.path.map(String).join('.');
  throw new SingletreeError(
    'invalid_argument',
    `Invalid argument${path === '' ? '' : ` \`${path}\``} of \`${method}\`: ${issue.message}.`,
    { details: { method, path } },
  );
}
