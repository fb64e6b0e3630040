import * as z from 'zod';
import { eventShape, family } from './define.ts';

const define = family('repl');

const id = () => z.string().min(1).describe('the id of the execution: input, progress and output share it');
const iteration = () => z.int().nonnegative().optional().describe('zero-based index of the loop');

export const replInput = define(
  'repl_input',
  { doc: 'Code a model wrote is about to be executed.', durability: 'barrier' },
  () => eventShape('repl_input', { id: id(), code: z.string().describe('the JavaScript'), iteration: iteration() }),
);

export const replProgress = define(
  'repl_progress',
  { doc: 'Executing code printed something.', durability: 'delta', fragment: 'chunk' },
  () =>
    eventShape('repl_progress', {
      id: id(),
      chunk: z.string().describe('the fragment of output'),
      stream: z.enum(['stdout', 'stderr']).describe('where it was printed'),
    }),
);

export const replOutput = define('repl_output', { doc: 'An execution ended.', durability: 'barrier' }, () =>
  eventShape('repl_output', {
    id: id(),
    stdout: z.string().describe('all it printed'),
    error: z.string().optional().describe('the error, when it failed'),
    done: z.boolean().describe('whether FINAL() was called'),
    final: z.string().optional().describe('the argument of FINAL()'),
    structured: z.boolean().optional().describe('true when that was no string, and `final` is its JSON'),
    iteration: iteration(),
    durationMs: z.number().nonnegative().optional().describe('wall-clock time of the execution'),
    truncated: z.boolean().optional().describe('true when stdout was cut'),
  }),
);
