/** The appearance and the label of each kind of node. */
const looks = {
  user: 'You',
  text: 'Text',
  reasoning: 'Reasoning',
  call: 'Call',
  result: 'Result',
  agent: 'Subagent',
  ask: 'Asks you',
  error: 'Error',
  other: 'Other',
} as const;

export type Look = keyof typeof looks;

const lookOfKind: ReadonlyMap<string, Look> = new Map([
  ['user', 'user'],
  ['text', 'text'],
  ['assistant', 'text'],
  ['reasoning', 'reasoning'],
  ['tool_call', 'call'],
  ['repl_input', 'call'],
  ['tool_result', 'result'],
  ['repl_output', 'result'],
  ['agent', 'agent'],
  ['relay', 'ask'],
  ['error', 'error'],
]);

export function getLook(kind: string): Look {
  return lookOfKind.get(kind) ?? 'other';
}

/** Returns the label of a kind of node. */
export function kindName(kind: string): string {
  if (kind === 'assistant') return 'Agent';
  const look = getLook(kind);
  if (look !== 'other') return looks[look];
  const words = kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The appearances that occur, in the order of the legend. */
export function buildLegend(kinds: Iterable<string>): { look: Look; name: string }[] {
  const present = new Set<string>();
  for (const kind of kinds) present.add(getLook(kind));
  return Object.entries(looks).flatMap(([look, name]) => (present.has(look) ? [{ look: look as Look, name }] : []));
}
