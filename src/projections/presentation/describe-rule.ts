/** The selectors of the calls that a rule applies to. */
export interface RuleSelectors {
  readonly tool?: string | undefined;
  readonly category?: string | undefined;
  readonly command?: string | undefined;
  readonly input?: Readonly<Record<string, string>> | undefined;
}

/** Returns which calls a rule is about, in words: every part of it must match. */
export function describeRule({ tool, category, command, input = {} }: RuleSelectors): string {
  return [
    command !== undefined && command,
    tool !== undefined && `tool ${tool}`,
    category !== undefined && `every ${category} tool`,
    ...Object.entries(input).map(([name, glob]) => `${name} ${glob}`),
  ]
    .filter(Boolean)
    .join(', ');
}
