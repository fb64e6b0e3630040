import * as z from 'zod';
import { userContent } from './content.ts';
import { eventShape, family } from './define.ts';
import { runAdditions } from './run-additions.ts';

const define = family('control');

export const modeChanged = define('mode_changed', { doc: 'The thread is in another mode.' }, () =>
  eventShape('mode_changed', {
    modeId: z.string().min(1).describe('the mode it is in now'),
    previousModeId: z.string().optional().describe('the mode it was in'),
  }),
);

export const modelChanged = define('model_changed', { doc: 'The thread uses another model.' }, () =>
  eventShape('model_changed', {
    modelId: z.string().describe('the model it uses now'),
    scope: z.enum(['global', 'thread', 'mode']).optional().describe('how far the choice reaches'),
    modeId: z.string().optional().describe('the mode it was chosen for'),
  }),
);

export const branchSelected = define('branch_selected', { doc: 'One of several siblings became the active one.' }, () =>
  eventShape('branch_selected', {
    nodeId: z.string().min(1).describe('the sibling: a user node or the start of a run'),
  }),
);

export const collapsed = define(
  'collapsed',
  { doc: 'A person folded or unfolded a message, a tool call or a summary.' },
  () =>
    eventShape('collapsed', {
      nodeId: z.string().min(1).describe('the folded node: the id of a message, a tool call or a summary'),
      collapsed: z.boolean().describe('whether it is folded now; an unfolded summary shows its source'),
    }),
);

export const abortRequested = define(
  'abort_requested',
  { doc: 'The end of the run was requested; the process that owns the run stops it.' },
  () =>
    eventShape('abort_requested', {
      by: z.string().optional().describe('the person or program that asked'),
    }),
);

export const runRequested = define(
  'run_requested',
  { doc: 'A run was requested; it is open until its `harness_end`.', durability: 'barrier' },
  () =>
    eventShape('run_requested', {
      agentId: z.string().min(1).describe('the agent that is to run'),
      parentId: z.string().min(1).describe('the message that it answers'),
      model: z.string().optional().describe("the model to use instead of the agent's own"),
      additions: runAdditions(),
    }),
);

export const steerRequested = define(
  'steer_requested',
  {
    doc: 'The older form of a `message_queued` that goes into the run, and read like it.',
  },
  () =>
    eventShape('steer_requested', {
      id: z.string().min(1).describe('the id of the message'),
      content: userContent(),
      by: z.string().optional().describe('the person or program that sent it'),
    }),
);

export const folderChanged = define('folder_changed', { doc: 'The thread works in another folder from here on.' }, () =>
  eventShape('folder_changed', {
    folder: z.string().min(1).describe('the absolute path of the folder'),
    worktree: z
      .looseObject({
        origin: z.string().min(1).describe('the folder that the worktree is a copy of'),
        branch: z.string().min(1).describe('its branch'),
        head: z.string().min(1).describe('the commit it began with'),
        setup: z.string().optional().describe('the command that prepares it'),
      })
      .optional()
      .describe('the git worktree that the folder belongs to, when it was made for this thread'),
    kept: z.array(z.string()).optional().describe('the files whose changes in the worktree were applied to the folder'),
    note: z.string().optional().describe('a note about the folder for the user'),
  }),
);
