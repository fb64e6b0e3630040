/** A statement that every connection prepares once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A value of a statement, as it is sent. */
export type SentValue = string | number | boolean | null;

/** The protocol of a connection, as far as a query uses it. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  /** The text of each statement that the connection has prepared, by name. */
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  parse(statement: Statement): void;
  bind(values: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
  execute(): void;
  sync(): void;
}

/**
 * Executes a prepared statement that returns one row with one text, given to `callback`. Other queries of the driver
 * have the database describe the columns at each execution, which takes longer than the rest of a short answer.
 */
export class ValueQuery {
  readonly name: string;
  readonly text: string;
  /** The driver replaces it to limit the time that a query takes. */
  callback: (error: Error | null, value?: string | null) => void;
  readonly #values: readonly SentValue[];
  #value: string | null | undefined;

  constructor({ name, text }: Statement, values: readonly SentValue[], callback: ValueQuery['callback']) {
    this.name = name;
    this.text = text;
    this.callback = callback;
    this.#values = values;
  }

  submit(wire: Wire): null {
    const { name, text } = this;
    wire.stream.cork();
    try {
      if (wire.parsedStatements[name] === undefined) wire.parse({ name, text });
      wire.bind({ statement: name, values: this.#values.map(value => (value === null ? null : String(value))) });
      wire.execute();
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
    return null;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#value = fields[0];
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(null, this.#value);
  }

  handleError(error: Error): void {
    this.callback(error);
  }
}
