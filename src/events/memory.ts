import * as z from 'zod';
import { eventShape, family } from './define.ts';

const define = family('memory');

export const summary = define(
  'summary',
  { doc: 'A span of the conversation has a shorter form. Its source stays in the log.' },
  () =>
    eventShape('summary', {
      id: z.string().min(1).describe('the id of the summary'),
      covers: z
        .looseObject({ from: z.string().min(1), to: z.string().min(1) })
        .describe('the first and the last node it stands for, along the active branch'),
      text: z.string().describe('the shorter form'),
      kind: z.enum(['compaction', 'observation', 'reflection']).describe('what made it'),
    }),
);
