import { checkValue } from '../../../base/options/check-options.ts';
import { methodSchemas } from './method-schemas.ts';

/** Throws `invalid_argument` when the arguments of a method are invalid; call it before the method has any effect. */
export function checkArguments(method: keyof typeof methodSchemas, given: unknown): void {
  const { schema, isSure } = methodSchemas[method]();
  if (!isSure(given)) checkValue(schema, given, `\`${method}\``, { method });
}
