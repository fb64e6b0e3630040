import { SingletreeError } from '../base/singletree-error.ts';

/**
 * Returns a handler for the failed import of a driver that is an optional dependency: it throws `driver_missing`, which
 * names the package to install. Written as `import('pg').catch(…)`, bundlers leave out a driver that is not installed.
 */
export function reportMissingDriver(name: string, store: string): (cause: unknown) => never {
  return cause => {
    throw new SingletreeError(
      'driver_missing',
      `${store} needs the package "${name}", which could not be loaded. Install it: npm install ${name}`,
      { details: { package: name }, cause },
    );
  };
}
