import { defined } from '../../../base/defined.ts';
import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { Tool } from '../../contract/agent.ts';
import { BoundedOutput } from '../../workspace/bounded-output.ts';
import type { OutputStream } from '../../workspace/run-command.ts';
import { permittedWorkspace, type ToolWorkspace } from '../tool-workspace.ts';

const defaultTimeoutMs = 120_000;
const mostTimeoutMs = 600_000;
const headBytes = 8_000;
const tailBytes = 16_000;
const mostReported = 1_000;
const reportEveryMs = 250;

const input = z.object({
  command: z.string().min(1).describe('the command line'),
  workdir: z.string().optional().describe('the folder to run it in; the root of the workspace when absent'),
  timeout: z
    .int()
    .min(1)
    .max(mostTimeoutMs)
    .optional()
    .describe(`the most time it may take, in milliseconds; ${defaultTimeoutMs} when absent`),
});

/** Runs a shell command in the workspace and reports its output as it arrives. */
export function bashTool(toolWorkspace: ToolWorkspace): Tool {
  return defineTool({
    name: 'bash',
    description:
      'Runs a shell command in the workspace and returns what it prints. It has no terminal and no input. What it ' +
      'leaves in the background is ended with it. Of long output the beginning and the end are kept.',
    category: 'execute',
    shell: true,
    timeoutMs: mostTimeoutMs + 30_000,
    input,
    paths: async ({ workdir = '.' }) => ({ workdir: [await toolWorkspace.workspace.resolve(workdir)] }),
    execute: async ({ command, workdir = '.', timeout = defaultTimeoutMs }, context) => {
      const { signal, progress, runMark } = context;
      const output = new BoundedOutput(headBytes, tailBytes);
      const live = new LiveOutput(progress);
      const onOutput = (chunk: Uint8Array, stream: OutputStream) => {
        output.push(chunk);
        live.push(chunk, stream);
      };
      const end = await permittedWorkspace(toolWorkspace, context)
        .run({ command, folder: workdir, signal, timeoutMs: timeout, runMark, onOutput })
        .finally(() => live.end());
      const { exitCode, timedOut } = end;
      const how = timedOut
        ? `stopped after ${timeout} ms`
        : `exit code ${exitCode}${end.signal === undefined ? '' : `, ended by ${end.signal}`}`;
      const printed = output.total === 0 ? '' : `${output.text().trimEnd()}\n`;
      return {
        context: exitCode === 0 && printed !== '' ? printed.trimEnd() : `${printed}[${how}]`,
        result: {
          exitCode,
          ...defined({ signal: end.signal }),
          ...(timedOut && { timedOut }),
          outputBytes: output.total,
          leftOutBytes: output.leftOut,
        },
      };
    },
  });
}

/** Reports new output by stream at a limited rate; omits the start of long output. */
class LiveOutput {
  readonly #report: (piece: { readonly stream: OutputStream; readonly output: string }) => void;
  readonly #streams = { stdout: new UnreportedText(), stderr: new UnreportedText() };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(report: (piece: { readonly stream: OutputStream; readonly output: string }) => void) {
    this.#report = report;
  }

  push(chunk: Uint8Array, stream: OutputStream): void {
    this.#streams[stream].push(chunk);
    this.#timer ??= setTimeout(() => this.#send(), reportEveryMs);
  }

  /** Reports the rest. */
  end(): void {
    clearTimeout(this.#timer);
    this.#send();
  }

  #send(): void {
    this.#timer = undefined;
    for (const stream of ['stdout', 'stderr'] as const) {
      const output = this.#streams[stream].take();
      if (output !== '') this.#report({ stream, output });
    }
  }
}

/** The end of a stream's text since it was taken last. */
class UnreportedText {
  readonly #decoder = new StringDecoder('utf8');
  #text = '';

  push(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.write(chunk)).slice(-mostReported);
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}
