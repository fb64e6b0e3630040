/** The policy for a tool call: run it, ask a user, or refuse it. */
export type Policy = 'allow' | 'ask' | 'deny';

/** One rule: every selector that is present must match the call. */
export interface PermissionRule {
  tool?: string | undefined;
  category?: string | undefined;
  input?: Record<string, string> | undefined;
  command?: string | undefined;
  policy: Policy;
  reason?: string | undefined;
}

/** Rules, and the policy for a call that none of them matches: `ask` when it is absent. */
export interface PermissionRuleSet {
  default?: Policy | undefined;
  rules: PermissionRule[];
}

/** A grant of a user, as plain data: a whole category, a whole tool, or one exact shell command. */
export type Grant =
  | { kind: 'category'; category: string }
  | { kind: 'tool'; tool: string }
  | { kind: 'command'; tool: string; command: string; rest: Record<string, unknown> };

/** Access to one path outside a workspace: a file, or a folder with everything in it. */
export interface PathAccess {
  /** Its absolute path without links. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /** Access to write includes access to read. */
  readonly mode: 'read' | 'write';
}

/** A path argument of a call, and the file or folder that it resolves to in a workspace. */
export interface ResolvedPath {
  /** The path as the call gives it. */
  readonly written: string;
  /**
   * The paths of the target without links: first relative to the root, `.` for the root itself, then absolute. Empty
   * when the path leads outside the workspace or cannot be resolved; only absolute when a user can grant it.
   */
  readonly resolved: readonly string[];
  /** The access that a user can grant when the path leads outside the workspace; `read` is the minimum. */
  readonly outside?: PathAccess;
}

/** A path of a call, and whether the call may reach everything below it. */
export interface RequestPath extends ResolvedPath {
  readonly reachesBelow?: boolean;
}

/** The workspace paths of a call, by argument name; one argument may name several. */
export type RequestPaths = Readonly<Record<string, readonly RequestPath[]>>;

/** A tool call to decide about. */
export interface ToolRequest {
  readonly tool: string;
  readonly category?: string;
  readonly input: unknown;
  /** The call runs a shell command: `true` when its argument `command` holds it, or the name of the argument that does. */
  readonly shell?: boolean | string;
  /** The arguments that are workspace paths, as the workspace resolves them: rules are compared with these. */
  readonly paths?: RequestPaths;
  /** Whether the call may use paths that `paths` does not name: no rule over a path allows it, any may guard it. */
  readonly hasUnknownPaths?: boolean;
}

/** The decision on a call, its reason, and the rule or grant behind it. */
export interface Decision {
  readonly policy: Policy;
  readonly reason?: string;
  readonly rule?: PermissionRule;
  readonly grant?: Grant;
  /** A rule that denies and may match a call that is asked about: no grant but one for exactly this call counts. */
  readonly doubted?: PermissionRule;
  /** Set by `decideAll` when a rule set decided, or the default in the absence of rules. */
  readonly by?: 'rules';
}

/**
 * Reviews the decision of all rules and functions, and may allow a call that they ask about. A denied call remains
 * denied, and a call that a `deny` rule may match is at least asked about.
 */
export interface DecisionReview {
  readonly review: (request: ToolRequest, decided: Decision) => Decision;
}

/** Rules, a synchronous function that decides, or a review of their decision. */
export type DecisionSource = PermissionRuleSet | ((request: ToolRequest) => Decision) | DecisionReview;
