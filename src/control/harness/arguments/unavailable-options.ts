import { SingletreeError } from '../../../base/singletree-error.ts';
import type { UnavailableOptions } from '../harness-config.ts';

const instead: Record<keyof UnavailableOptions, string> = {
  browser: 'pass browser tools as `tools`',
  pubsub: 'use `subscribe`',
  observability: 'read the events of the log; `tracingOptions` of a message set the trace of its run',
};

/** Creates a `not_supported` error for a feature that a harness does not have. */
export function notSupported(what: string, hint: string): SingletreeError {
  return new SingletreeError('not_supported', `${what} is not supported: ${hint}.`);
}

/** Throws `not_supported` when the config contains an unsupported option. */
export function checkAvailable(config: UnavailableOptions): void {
  for (const [name, hint] of Object.entries(instead))
    if (config[name as keyof UnavailableOptions] !== undefined)
      throw notSupported(`The option \`${name}\` of a harness`, `${hint}, and omit it`);
}
