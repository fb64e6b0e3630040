import { SingletreeError } from '../events/index.ts';

/** Loads a driver that is an optional dependency. Throws `driver_missing`, which names the package to install. */
export async function loadDriver<Module>(name: string, store: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw new SingletreeError(
      'driver_missing',
      `${store} needs the package "${name}", which could not be loaded. Install it: npm install ${name}`,
      { details: { package: name }, cause },
    );
  }
}
