import { SingletreeError } from '../../../events/index.ts';
import type { UnavailableOptions } from '../harness-config.ts';

const instead: Record<keyof UnavailableOptions, string> = {
  browser: 'pass browser tools as `tools`',
  pubsub: 'use `subscribe`',
  observability: 'read the events of the log; `tracingOptions` of a message set the trace of its run',
};

/** Creates a `not_available` error for a feature that is not supported yet. */
export function notAvailable(what: string, hint: string): SingletreeError {
  return new SingletreeError('not_available', `${what} is not available yet: ${hint}.`);
}

/** Throws `not_available` when the config contains an unsupported option. */
export function checkAvailable(config: UnavailableOptions): void {
  for (const [name, hint] of Object.entries(instead))
    if (config[name as keyof UnavailableOptions] !== undefined)
      throw notAvailable(`The option \`${name}\` of a harness`, `${hint}, and omit it`);
}
