/** The inclusive range of lines an operation touched, when it is known. */
export interface LineRange {
  readonly startLine?: number;
  readonly endLine?: number;
}

/** Whether it worked; absent when that was not reported. */
export interface Success {
  readonly isSuccess?: boolean;
}

/** One effect of an agent on its environment: target and success, never the content read, written or printed. */
export type Operation =
  | ({
      readonly type: 'command';
      readonly command: string;
      readonly workingDirectory?: string;
      readonly exitCode?: number;
    } & Success)
  | ({ readonly type: 'read'; readonly path: string } & LineRange & Success)
  | ({ readonly type: 'write'; readonly path: string } & LineRange & Success)
  | ({ readonly type: 'search'; readonly query: string; readonly path?: string } & Success)
  | ({ readonly type: 'list'; readonly path?: string } & Success)
  | ({ readonly type: 'skill'; readonly path: string; readonly skillName?: string } & LineRange & Success)
  | ({
      readonly type: 'orchestration';
      readonly action: 'subagent_started' | 'subagent_completed' | 'subagent_failed';
      readonly subagentId?: string;
      readonly subagentName?: string;
    } & Success);

/** One entry of the activity of a run, in the same form for every agent; optional fields are absent, never null. */
export type Activity = {
  /** ISO 8601: when it was seen. */
  readonly timestamp: string;
  /** The external program's own session, when it has one. */
  readonly sessionId?: string;
} & (
  | Operation
  | { readonly type: 'agent'; readonly message: string }
  | { readonly type: 'error'; readonly message: string; readonly code?: string }
  | { readonly type: 'warning'; readonly message: string; readonly code?: string }
  | { readonly type: 'unknown'; readonly raw: unknown }
);

/** Whether an entry is something that an agent did. */
export function isOperation(activity: Activity): activity is Activity & Operation {
  return !['agent', 'error', 'warning', 'unknown'].includes(activity.type);
}
