import { checkValue } from '../../events/options/check-options.ts';
import { taken } from './taken-arguments.ts';

/** Throws `invalid_argument` when the arguments of a method are invalid: to be called before it does anything. */
export function checkArguments(method: keyof typeof taken, given: unknown): void {
  const { schema, isSure } = taken[method]();
  if (!isSure(given)) checkValue(schema, given, `\`${method}\``, { method });
}
