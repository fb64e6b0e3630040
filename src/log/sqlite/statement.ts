import type Database from 'libsql';

export type Connection = InstanceType<typeof Database>;

export type SqlValue = string | number | null | Buffer;

/** A statement that is prepared once; rows are lists of values. */
export interface Statement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
}

/** Prepares a statement that returns rows. */
export function query(db: Connection, sql: string): Statement {
  return ofValues(db.prepare(sql).raw());
}

/** Prepares a statement that returns none. */
export function command(db: Connection, sql: string): Statement {
  return ofValues(db.prepare(sql));
}

/** How many rows a command changed. */
export function changes(result: unknown): number {
  return (result as { changes: number }).changes;
}

/** The library copies values that are given one by one once more; those in a list it takes as they are. */
function ofValues(statement: ReturnType<Connection['prepare']>): Statement {
  return {
    run: (...values) => statement.run(values),
    get: (...values) => statement.get(values),
    all: (...values) => statement.all(values),
  };
}

/** The highest number in the lower half of a position. */
export const lowest32 = 2 ** 32 - 1;

/** The expression for the place of a row: numbers are bound as floating point, and only a bit operation makes them whole. */
export function toPosition(key: string, number: string): string {
  return `(${key} << 32 | ${number})`;
}
