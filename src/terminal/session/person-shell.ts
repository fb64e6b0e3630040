import { defined } from '../../base/defined.ts';
import { workspace } from '../../agents/workspace/workspace-folder.ts';

/** The most lines of an output that are printed. */
const mostLines = 50;

/** The end of a shell line that a person ran. */
interface ShellLineEnd {
  readonly output: string;
  readonly exitCode: number;
}

const mostOutput = 30_000;
const longestMs = 600_000;

/** Runs a line of the person with a shell in a folder; the output is cut in the middle when it is long. */
export async function runShellLine(line: string, folder: string, signal: AbortSignal): Promise<ShellLineEnd> {
  const decoder = new TextDecoder();
  let output = '';
  let cut = 0;
  // The person runs their own line with their own environment.
  const { exitCode } = await workspace(folder, { env: defined(process.env) as Record<string, string> }).run({
    command: line,
    signal,
    timeoutMs: longestMs,
    onOutput: chunk => {
      output += decoder.decode(chunk, { stream: true });
      if (output.length <= mostOutput * 2) return;
      cut += output.length - mostOutput;
      output = output.slice(0, mostOutput / 2) + output.slice(-mostOutput / 2);
    },
  });
  return { output: cut === 0 ? output : `${output}\n[${cut} characters were left out]`, exitCode };
}

/** Returns the line and its output as the model reads them. */
export function shellLineContext(line: string, { output, exitCode }: ShellLineEnd): string {
  const status = exitCode === 0 ? '' : `\n[exit code ${exitCode}]`;
  return `$ ${line}\n${output.trimEnd()}${status}`;
}

/** Returns a line and its output as the person reads them: the beginning and the end of a long output. */
export function shellLineExcerpt(line: string, end: ShellLineEnd): string {
  const lines = end.output.trimEnd().split('\n');
  if (lines.length <= mostLines) return shellLineContext(line, end);
  const half = mostLines / 2;
  const shown = [...lines.slice(0, half), `… ${lines.length - mostLines} lines …`, ...lines.slice(-half)];
  return shellLineContext(line, { ...end, output: shown.join('\n') });
}
