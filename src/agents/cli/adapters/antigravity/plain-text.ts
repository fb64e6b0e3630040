import type { LineContext } from '../../shared/line-context.ts';

const failure = /^[Ee]rror: (.+)$|^(flags? provided but not defined: .+)$/;
const timeout = 'Error: timed out waiting for response';

/** Handles the plain text of older releases, which has no structure except that it may begin with a failure. */
export class PlainText {
  readonly #context: LineContext;
  #isBegun = false;

  constructor(context: LineContext) {
    this.#context = context;
  }

  take(line: string): void {
    const text = line.trimEnd();
    if (text === '') return;
    const [, error, flag] = !this.#isBegun || text === timeout ? (failure.exec(text) ?? []) : [];
    const message = error ?? flag;
    this.#isBegun = true;
    if (message === undefined) this.#context.unknown(line);
    else this.#context.fail({ message });
  }
}
