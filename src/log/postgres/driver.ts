import type * as Pg from 'pg';
import { loadDriver } from '../load-driver.ts';

export type Driver = Pick<typeof Pg, 'Client' | 'Pool'>;

/** Loads the driver when a database is first opened. Throws `driver_missing` when it is not installed. */
export async function loadPg(): Promise<Driver> {
  const { default: driver } = await loadDriver('pg', 'PostgreSQL', () => import('pg'));
  return driver;
}
