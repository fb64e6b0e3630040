import type { Client, Driver, Pool, PoolClient } from './driver.ts';
import { logClosed } from '../checks.ts';
import { findOutage, describePlace, translated, unreachable } from './errors.ts';
import { type SentValue, type Statement, ValueQuery } from './value-query.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The values of a statement; `isRepeated` when an earlier attempt at the call may have taken effect. */
type Values = readonly unknown[] | ((isRepeated: boolean) => readonly unknown[]);

/** Something that is done on a connection. */
interface Task<Used, Result> {
  readonly connect: () => Promise<Used>;
  readonly release: (client: Used, isBroken: boolean) => void;
  readonly action: (client: Used, isRepeated: boolean) => Promise<Result>;
  readonly isRepeated?: boolean;
  readonly waitMs: number;
}

const firstPauseMs = 10;
const longestPauseMs = 1_000;
/** How long one attempt at a statement may take, in milliseconds: a dropped connection reports no error. */
const attemptMs = 10_000;

export interface ConnectionsOptions {
  readonly url: string;
  readonly driver: Driver;
  readonly most: number;
  readonly waitMs: number;
}

/**
 * The connections to a database. While it cannot be reached, calls wait and are repeated after ever longer pauses, up
 * to `waitMs`: a statement that changes something must recognise that an earlier attempt took effect.
 */
export class Connections {
  readonly place: string;
  readonly #options: ConnectionsOptions;
  readonly #pool: Pool;
  /** Ends each pending wait; `close` calls them. */
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(options: ConnectionsOptions) {
    const { driver, most, waitMs } = options;
    this.#options = options;
    this.place = describePlace(options.url);
    this.#pool = new driver.Pool({
      ...this.#config(),
      max: most,
      allowExitOnIdle: true,
      idleTimeoutMillis: 0,
      query_timeout: Math.max(1, Math.min(attemptMs, waitMs)),
      statement_timeout: attemptMs,
    });
    // An idle connection that breaks is replaced by the next call.
    this.#pool.on('error', () => {});
    // A connection that breaks during a statement rejects that statement; the event has no further information.
    this.#pool.on('connect', client => client.on('error', () => {}));
  }

  /** The rows of a statement. Throws `store_unreachable` and `log_closed`. */
  async query<Result = Row>(statement: Statement, values: Values, isRepeated = false): Promise<Result[]> {
    const list = typeof values === 'function' ? values : () => values;
    const action = async (client: PoolClient, repeated: boolean) =>
      (await client.query({ ...statement, values: [...list(repeated)] })).rows as Result[];
    return this.#shared(action, isRepeated);
  }

  /** The text that a statement returns as its only column; throws as `query` does. */
  async value(
    statement: Statement,
    values: (isRepeated: boolean) => readonly SentValue[],
    isRepeated: boolean,
  ): Promise<string | null | undefined> {
    const action = (client: PoolClient, repeated: boolean) =>
      new Promise<string | null | undefined>((resolve, reject) => {
        client.query(
          new ValueQuery(statement, values(repeated), (error, value) => (error ? reject(error) : resolve(value))),
        );
      });
    return this.#shared(action, isRepeated);
  }

  /**
   * Performs a long action on a dedicated connection, and restarts it from the beginning while the database cannot be
   * reached.
   */
  async use<Result>(
    action: (client: Client) => Promise<Result>,
    waitMs: number = this.#options.waitMs,
  ): Promise<Result> {
    const connect = async () => {
      const client = this.newClient();
      client.on('error', () => {});
      await client.connect();
      return client;
    };
    // A connection that cannot be closed in order is dropped by the server.
    return this.#repeat({ connect, release: client => void client.end().catch(() => {}), action, waitMs });
  }

  /** Returns a dedicated connection that is not open yet. */
  newClient(): Client {
    return new this.#options.driver.Client(this.#config());
  }

  /** Waits; resolves at once when the connections are closed. */
  pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const resume = () => {
        clearTimeout(timer);
        this.#waiting.delete(resume);
        resolve();
      };
      const timer = setTimeout(resume, ms);
      this.#waiting.add(resume);
      if (this.#isClosed) resume();
    });
  }

  /** Statements under way are completed; calls that wait reject with `log_closed`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#waiting) end();
    await this.#pool.end();
  }

  #shared<Result>(
    action: (client: PoolClient, isRepeated: boolean) => Promise<Result>,
    isRepeated: boolean,
  ): Promise<Result> {
    return this.#repeat({
      connect: () => this.#connect(),
      release: (client, isBroken) => client.release(isBroken),
      action,
      isRepeated,
      waitMs: this.#options.waitMs,
    });
  }

  /** A connection of the pool; the pool never answers those that wait for one when it ends. */
  #connect(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      const abandon = () => reject(logClosed());
      this.#waiting.add(abandon);
      this.#pool.connect().then(
        client => {
          this.#waiting.delete(abandon);
          if (this.#isClosed) client.release();
          else resolve(client);
        },
        (error: unknown) => {
          this.#waiting.delete(abandon);
          reject(error);
        },
      );
    });
  }

  async #repeat<Used, Result>({
    connect,
    release,
    action,
    isRepeated = false,
    waitMs,
  }: Task<Used, Result>): Promise<Result> {
    const since = performance.now();
    let isUnsettled = isRepeated;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      if (this.#isClosed) throw logClosed();
      let isSent = false;
      let failure: unknown;
      try {
        const client = await connect();
        isSent = true;
        try {
          const result = await action(client, isUnsettled);
          release(client, false);
          return result;
        } catch (error) {
          release(client, findOutage(error) !== undefined);
          throw error;
        }
      } catch (error) {
        failure = error;
      }
      const outage = findOutage(failure);
      if (outage === undefined) throw translated(this.place, failure);
      isUnsettled ||= isSent && outage.isUnsettled;
      const waitedMs = performance.now() - since;
      if (waitedMs + pauseMs > waitMs) throw unreachable(this.place, waitedMs, isUnsettled, failure);
      await this.pause(pauseMs * (0.5 + Math.random() / 2));
    }
  }

  #config() {
    return {
      connectionString: this.#options.url,
      application_name: 'singletree',
      keepAlive: true,
      connectionTimeoutMillis: Math.max(1, Math.min(attemptMs, this.#options.waitMs)),
    };
  }
}
