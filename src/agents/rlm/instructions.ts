import { describeInput } from '../loop/tool.ts';
import type { Tool } from '../contract/agent.ts';
import type { RlmLimits } from './rlm-limits.ts';

/** Returns the instructions about the REPL. */
export interface ReplDescription {
  /** The agent's own instructions. */
  readonly instructions: string | undefined;
  readonly context: string;
  /** The tools by function name. */
  readonly functions: ReadonlyMap<string, Tool>;
  readonly limits: RlmLimits;
}

const previewLength = 500;

/** The note for the last answer of a run. */
export const conclude =
  'You have used all the steps you may take. Answer now in plain text with what you have: no code is run any more.';

/** The first message of a run: how the REPL works, and the shape of the context without its content. */
export function replInstructions({ instructions, context, functions, limits }: ReplDescription): string {
  const { maxDepth, maxQueries, maxShownLength, cellTimeoutMs, parallelQueries } = limits;
  return [
    ...(instructions === undefined ? [] : [instructions]),
    `You answer with the help of a JavaScript REPL. Write code in \`\`\`js blocks; all blocks of a message run as one cell, and its output is the next message. Variables last from cell to cell. Top-level await works. There are no modules, no timers and no network.`,
    `In the REPL:
- context: a string, ${describeContext(context)}. It is not in this conversation: look at it with code, a piece at a time.
- print(...values), console.log(...values): shows values. You see at most ${maxShownLength} characters of a cell's output.${
      maxDepth === 0 ? '' : `\n${describeQueries(maxDepth, maxQueries, parallelQueries)}`
    }
- SHOW_VARS(): lists your variables.
- FINAL(value): gives the answer, a string or a JSON value, and ends the work. Call it once, when you are sure.${[
      ...functions,
    ]
      .map(([name, tool]) => `\n${describeFunction(name, tool)}`)
      .join('')}`,
    `The code of a cell may compute for ${cellTimeoutMs} ms; waiting for functions does not count.`,
    ...(context === '' ? [] : [`The context begins:\n${preview(context)}`]),
  ].join('\n\n');
}

function describeContext(context: string): string {
  if (context === '') return 'empty here';
  let lines = 1;
  for (let at = context.indexOf('\n'); at >= 0; at = context.indexOf('\n', at + 1)) lines++;
  return `${context.length} characters in ${lines} ${lines === 1 ? 'line' : 'lines'}`;
}

function preview(context: string): string {
  return context.length <= previewLength ? context : `${context.slice(0, previewLength)}…`;
}

function describeQueries(maxDepth: number, maxQueries: number, parallel: number): string {
  const deeper = maxDepth > 1 ? ' With a context it has a REPL of its own, in which that context is `context`.' : '';
  return `- llm_query(prompt, context?): asks a language model that sees nothing but what you give it; a promise of its text.${deeper} Use it to read and judge pieces of the context. Start many at once with Promise.all: ${parallel} run at a time, ${maxQueries} in all.`;
}

function describeFunction(name: string, tool: Tool): string {
  const description = typeof tool.description === 'string' ? tool.description : tool.description();
  const inputSchema = describeInput(tool);
  const shell = tool.shell === undefined || tool.shell === false ? '' : ' It takes the command as a string, too.';
  return `- ${name}(input): ${description} A promise; it rejects when it fails or is not allowed.${shell} Input: ${JSON.stringify(inputSchema)}`;
}
