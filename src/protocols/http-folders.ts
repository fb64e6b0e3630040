import * as z from 'zod';
import { messageBody } from './http-api.ts';

/** A project folder, with the trust request that must be confirmed before its configuration applies. */
export const projectInfo = z.looseObject({
  folder: z.string().describe('its absolute path, links resolved'),
  name: z.string().describe('the last part of its path'),
  openedAt: z.string().optional(),
  isStart: z.boolean().describe('whether the server was started in it'),
  trust: z
    .looseObject({
      question: z.string(),
      lines: z.array(z.string()).describe('what its configuration would do'),
    })
    .optional()
    .describe('present until its configuration is trusted: it has no effect before that'),
});

export type ProjectInfo = z.infer<typeof projectInfo>;

/** The body of `POST /api/projects`. */
export const projectBody = z.strictObject({ folder: z.string().min(1).max(4096) });

/** The body of `POST /api/projects/trust`. */
export const trustBody = z.strictObject({
  folder: z.string().min(1).max(4096),
  lines: z.array(z.string()).describe('the lines that the person read: others are not trusted with them'),
});

export type TrustBody = z.infer<typeof trustBody>;

/** The subfolders of a folder, for browsing to a project. */
export const folderList = z.looseObject({
  path: z.string().optional().describe('absent for the list of the folders to begin with'),
  parent: z.string().optional().describe('absent where the person may go no higher'),
  folders: z.array(
    z.looseObject({
      name: z.string(),
      path: z.string().describe('its absolute path, links resolved'),
      isProject: z.boolean().describe('whether it has a sign of a project, such as a git repository'),
    }),
  ),
  isCut: z.boolean().describe('whether there are more'),
});

export type FolderList = z.infer<typeof folderList>;

/** The differences between the folder of a thread and its base commit. */
export const baseInfo = z.looseObject({
  folder: z.string(),
  base: z.looseObject({
    commit: z.string().optional().describe('absent in a repository without commits'),
    branch: z.string().optional().describe('the branch it is on; absent for the last commit of the current one'),
  }),
  files: z.array(
    z.looseObject({
      path: z.string().describe('relative to the folder'),
      action: z.enum(['add', 'update', 'delete']),
      added: z.number().optional().describe('lines; absent for a file that is not text'),
      removed: z.number().optional(),
      patch: z.string().optional().describe('the hunks of a unified diff; absent for large changes and other files'),
    }),
  ),
  more: z.number().describe('how many more files differ'),
});

export type BaseInfo = z.infer<typeof baseInfo>;

/** The body of `POST /api/comparisons`. */
export const comparisonBody = z.strictObject({
  content: messageBody.shape.content,
  agents: z
    .array(z.strictObject({ agent: z.string().min(1), model: z.string().min(1).optional() }))
    .min(2, { error: 'expected two or more agents' })
    .max(6, { error: 'expected at most six agents' }),
  folder: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('the open project to work in; the folder that the server was started in when absent'),
  branch: z.string().min(1).optional().describe('the beginning of the branches; `singletree` when absent'),
  uncommitted: z
    .boolean()
    .optional()
    .describe('whether the worktrees begin with the uncommitted changes of the folder; they do when absent'),
});

export type ComparisonBody = z.infer<typeof comparisonBody>;

/** The runs that a comparison started. */
export const comparisonInfo = z.looseObject({
  runs: z.array(
    z.looseObject({
      threadId: z.string(),
      agentId: z.string(),
      runId: z.string().optional().describe('absent when it was not started'),
      folder: z.string().optional().describe('the folder of its worktree'),
      branch: z.string().optional(),
      note: z.string().optional().describe('why it works in the same folder as others'),
      problem: z.string().optional().describe('why it was not started'),
    }),
  ),
});

export type ComparisonInfo = z.infer<typeof comparisonInfo>;

/** The git worktree of a thread, and what was changed in it. */
export const worktreeInfo = z.looseObject({
  name: z.string(),
  threadId: z.string(),
  agentId: z.string(),
  folder: z.string(),
  branch: z.string(),
  origin: z.string().describe('the folder it is a copy of'),
  createdAt: z.string(),
  exists: z.boolean(),
  isClean: z.boolean().describe('whether nothing is lost when it is removed'),
  hasCommits: z.boolean(),
  kept: z.string().optional().describe('present when its changes were applied to the original folder'),
  files: z.array(
    z.looseObject({
      path: z.string(),
      action: z.enum(['add', 'update', 'delete']),
      added: z.number().optional().describe('lines; absent for a binary file'),
      removed: z.number().optional(),
    }),
  ),
});

export type WorktreeInfo = z.infer<typeof worktreeInfo>;

/** The hunks of one changed file. */
export const patchInfo = z.looseObject({ path: z.string(), patch: z.string(), isCut: z.boolean().optional() });

export type PatchInfo = z.infer<typeof patchInfo>;

/** The files that were changed when a worktree was kept. */
export const keptInfo = z.looseObject({ files: z.array(z.string()) });

export type KeptInfo = z.infer<typeof keptInfo>;

/** The body of `POST /api/threads/:id/undo` and `redo`. */
export const rewindBody = z.strictObject({
  messageId: z.string().min(1).optional().describe('the first user message to take back; the newest when absent'),
  preview: z.boolean().optional().describe('only report what would happen'),
  force: z.boolean().optional().describe('also rewind files that somebody else changed since'),
});

export type RewindBody = z.infer<typeof rewindBody>;

/** The result of an undo or a redo, or of its preview. */
export const rewindInfo = z.looseObject({
  direction: z.enum(['undo', 'redo']),
  message: z.string().describe('the text of the message that is undone or redone'),
  folders: z.array(
    z.looseObject({
      folder: z.string(),
      files: z.array(
        z.looseObject({
          path: z.string(),
          action: z.enum(['create', 'change', 'delete', 'none']),
          isConflict: z.boolean().describe('whether somebody else changed the file since'),
        }),
      ),
    }),
  ),
  warnings: z
    .array(z.string())
    .optional()
    .describe('what the turns changed and is left as it is, with the names of the files'),
  threadId: z.string().optional().describe('the thread to continue in; absent in a preview'),
  changed: z.array(z.string()).optional().describe('the files that were changed; absent in a preview'),
});

export type RewindInfo = z.infer<typeof rewindInfo>;
