import * as z from 'zod';

/** A folder that people work in, with what is asked before its configuration applies. */
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

/** The folders in a folder, for a person who looks for a project. */
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
