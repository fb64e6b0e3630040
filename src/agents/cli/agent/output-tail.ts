import { stripVTControlCharacters } from 'node:util';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';

const tailLines = 20;

/** Events that a program makes only while it works. */
const work: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call', 'tool_result', 'step_start']);

/** Matches lines with which programs and their runtimes report a condition that does not end them. */
const notice =
  /^\(node:\d+\)|^\(Use `node |^\s*(\[\w+\]\s*)?(npm )?(warn(ing)?|info|debug|notice|deprecat\w*|starting)\b|^\S+\s+(WARN|INFO|DEBUG|TRACE)\b|^\[acp\] /i;

/** The last lines of an output that may explain a failure. */
export class OutputTail {
  #lines: string[] = [];

  add(line: string): void {
    if (notice.test(line)) return;
    this.#lines.push(line.slice(0, 2_000));
    if (this.#lines.length > tailLines) this.#lines.shift();
  }

  /** Discards the printed lines when the program continues to work: they do not explain its end. */
  continued(event: AgentEvent): void {
    if (work.has(event.type)) this.#lines = [];
  }

  get text(): string {
    return this.#lines.join('\n');
  }
}

/** Returns the warning for a line of stderr; undefined for an empty line or one that repeats known information. */
export function stderrMessage(
  { denial, repeated }: Pick<CliAdapter, 'denial' | 'repeated'>,
  text: string,
): { readonly message: string; readonly code: string } | undefined {
  const message = stripVTControlCharacters(text).trimEnd();
  if (message.trim() === '' || repeated?.test(message) === true) return undefined;
  return { message, code: denial?.test(message) === true ? 'permission_denied' : 'stderr' };
}
