import { SingletreeError } from '../../events/index.ts';

/** Loads a database driver, an optional peer of this package; rejects with `driver_missing` and what to install. */
export async function loadDriver<Driver>(
  name: 'pg' | 'ioredis',
  what: string,
  load: () => Promise<Driver>,
): Promise<Driver> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new SingletreeError(
      'driver_missing',
      `${what} needs the package "${name}", which is not installed. Install it beside singletree: npm install ${name}`,
      { details: { package: name }, cause },
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
