import { expect, it } from 'vitest';
import { reportMissingDriver } from './missing-driver.ts';

it('names the package to install when a driver is missing', async () => {
  const specifier = 'no-such-driver';
  const loading = import(specifier).catch(reportMissingDriver('no-such-driver', 'The store'));
  await expect(loading).rejects.toMatchObject({
    code: 'driver_missing',
    message: expect.stringContaining('npm install no-such-driver') as string,
    details: { package: 'no-such-driver' },
  });
});
