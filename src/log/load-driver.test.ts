import { expect, it } from 'vitest';
import { loadDriver } from './load-driver.ts';

it('names the package to install when a driver is missing', async () => {
  const specifier = 'no-such-driver';
  await expect(loadDriver('no-such-driver', 'The store', () => import(specifier))).rejects.toMatchObject({
    code: 'driver_missing',
    message: expect.stringContaining('npm install no-such-driver') as string,
    details: { package: 'no-such-driver' },
  });
});
