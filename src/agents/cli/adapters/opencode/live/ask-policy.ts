import { parseGlob, matchesGlob } from '../../../../permissions/glob.ts';
import { toRecord, toText } from '../../../shared/wire-value.ts';
import { parseJson } from '../../../../../base/parse-json.ts';

type Action = 'allow' | 'ask' | 'deny';

/** The permission settings of OpenCode and Kilo Code: an action for each kind of access, or for each pattern of it. */
export type PermissionSettings = Readonly<Record<string, Action | Readonly<Record<string, Action>>>>;

/**
 * The permission settings of a live session: everything is asked about but reading, searching and bookkeeping inside
 * the folder, questions, and the start of a subagent, whose own calls are asked about.
 */
export const askPolicy: PermissionSettings = {
  // The first matching kind: tools of MCP servers and tools of later versions.
  '*': 'ask',
  read: { '*': 'allow', '*.env': 'ask', '*.env.*': 'ask', '*.env.example': 'allow' },
  glob: 'allow',
  grep: 'allow',
  list: 'allow',
  lsp: 'allow',
  skill: 'allow',
  todowrite: 'allow',
  todoread: 'allow',
  question: 'allow',
  task: 'allow',
  bash: 'ask',
  edit: 'ask',
  webfetch: 'ask',
  websearch: 'ask',
  codesearch: 'ask',
  external_directory: 'ask',
  doom_loop: 'ask',
  plan_enter: 'deny',
};

/** Calls that must never run unasked, by kind of access and an example of it. */
const probes: readonly (readonly [permission: string, pattern: string])[] = [
  ['bash', 'touch made.txt'],
  ['edit', 'src/index.ts'],
  ['webfetch', 'https://example.com/'],
  ['websearch', 'news'],
  ['external_directory', '/etc/*'],
  ['a_tool_of_an_mcp_server', '*'],
];

/**
 * Returns what an agent of the program would do without asking, by the agents that it reports with their resolved
 * rules; undefined when the list is not understood, and empty when everything is asked about.
 */
export function unaskedCalls(agents: unknown): string[] | undefined {
  if (!Array.isArray(agents) || agents.length === 0) return undefined;
  const unasked: string[] = [];
  for (const value of agents) {
    const agent = toRecord(value);
    const name = toText(agent?.['name']);
    const rules = agent?.['permission'];
    if (agent === undefined || name === undefined || !Array.isArray(rules)) return undefined;
    if (agent['hidden'] === true) continue;
    for (const [permission, pattern] of probes)
      if (actionFor(rules, permission, pattern) === 'allow') unasked.push(`${permission} (agent ${name})`);
  }
  return unasked;
}

/** The last matching rule decides, as in the program; it asks when none matches. */
function actionFor(rules: readonly unknown[], permission: string, pattern: string): unknown {
  const rule = rules.map(toRecord).findLast(candidate => {
    const isAllowing = candidate?.['action'] === 'allow';
    return (
      matches(permission, candidate?.['permission'], isAllowing) && matches(pattern, candidate?.['pattern'], isAllowing)
    );
  });
  return rule?.['action'] ?? 'ask';
}

/**
 * A `*` matches any text; ` *` at the end also nothing. A `?` matches any character: here any text when the rule allows
 * something, else none.
 */
function matches(text: string, glob: unknown, isAllowing: boolean): boolean {
  if (typeof glob !== 'string' || (glob.includes('?') && !isAllowing)) return false;
  return matchesGlob(parseGlob(glob.replaceAll('?', '*')), text) || glob === `${text} *`;
}

/** Returns the settings of a program with ours on top; settings that are not an object are dropped. */
export function mergedSettings(own: string | undefined, ours: object): string {
  return JSON.stringify(merged(parseJson(own ?? '{}', {}), ours));
}

function merged(own: unknown, ours: unknown): unknown {
  const [below, above] = [toRecord(own), toRecord(ours)];
  if (below === undefined || above === undefined) return ours;
  const result: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) result[name] = merged(below[name], value);
  return result;
}
