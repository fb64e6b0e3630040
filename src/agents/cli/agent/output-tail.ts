import { stripVTControlCharacters } from 'node:util';
import type { CliAdapter } from '../contract/cli-adapter.ts';

const tailLines = 20;

/** The last lines of an output, for the explanation of a failure. */
export class OutputTail {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line.slice(0, 2_000));
    if (this.#lines.length > tailLines) this.#lines.shift();
  }

  get text(): string {
    return this.#lines.join('\n');
  }
}

/** Returns the warning for a line of stderr; undefined when the line is empty, or repeats what is known. */
export function stderrMessage(
  { denial, repeated }: Pick<CliAdapter, 'denial' | 'repeated'>,
  text: string,
): { readonly message: string; readonly code: string } | undefined {
  const message = stripVTControlCharacters(text).trimEnd();
  if (message.trim() === '' || repeated?.test(message) === true) return undefined;
  return { message, code: denial?.test(message) === true ? 'permission_denied' : 'stderr' };
}
