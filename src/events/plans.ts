import * as z from 'zod';
import { eventShape, family } from './define.ts';

const define = family('plans and tasks');

const planStatusName = () => z.enum(['draft', 'approved', 'executing', 'executed', 'failed']);

export const planStatus = define('plan_status', { doc: 'A plan moved from one status to another.' }, () =>
  eventShape('plan_status', {
    planId: z.string().min(1).describe('the plan'),
    from: planStatusName().optional().describe('the status it had; absent when the plan is new'),
    to: planStatusName().describe('the status it has now'),
  }),
);

export const tasks = define('tasks', { doc: 'The task list of the thread was replaced.' }, () =>
  eventShape('tasks', {
    tasks: z
      .array(
        z.looseObject({
          id: z.string(),
          content: z.string(),
          status: z.enum(['pending', 'in_progress', 'completed']),
          activeForm: z.string().optional(),
        }),
      )
      .describe('the whole list'),
    restored: z.boolean().optional().describe('whether the application put them there, and no tool changed them'),
  }),
);
