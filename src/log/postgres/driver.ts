import { reportMissingDriver } from '../missing-driver.ts';
import type { ValueQuery } from './value-query.ts';

/** The result of a statement. */
interface Rows<Row> {
  readonly rows: Row[];
}

/** A connection of the driver, as far as it is used: those without the driver do not have its types either. */
export interface Client {
  connect(): Promise<unknown>;
  end(): Promise<void>;
  query(query: ValueQuery): unknown;
  // oxlint-disable-next-line no-unnecessary-type-parameters -- the caller knows the columns of its statement
  query<Row = Record<string, unknown>>(statement: string | object, values?: unknown[]): Promise<Rows<Row>>;
  on(event: 'error' | 'end', listener: () => void): unknown;
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
}

/** A connection of a pool. */
export interface PoolClient extends Client {
  release(isBroken?: boolean): void;
}

/** Connections that are shared. */
export interface Pool {
  connect(): Promise<PoolClient>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
  on(event: 'connect', listener: (client: Client) => void): unknown;
}

export interface Driver {
  readonly Client: new (options: object) => Client;
  readonly Pool: new (options: object) => Pool;
}

/** Loads the driver when a database is first opened. Throws `driver_missing` when it is not installed. */
export async function loadPg(): Promise<Driver> {
  const { default: driver } = await import('pg').catch(reportMissingDriver('pg', 'PostgreSQL'));
  return driver;
}
