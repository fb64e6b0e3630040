/** One word of a simple command, as the command would see it after quote removal. */
export interface ShellWord {
  readonly value: string;
  /**
   * Whether the shell still expands it (a variable, a substitution, a glob, braces): its value is not what will be
   * passed.
   */
  readonly open: boolean;
  /** It starts with an unquoted tilde. */
  readonly tilde: boolean;
  /** Whether it is open only because it names files, as in `src/*.ts`. */
  readonly namesFiles?: boolean;
}

/** Whether the shell could expand a word to an option; a pattern or a `~` behind a plain beginning cannot. */
export function mayBecomeOption({ open, value }: ShellWord): boolean {
  return open && !/^[\w./][^$`]*$/.test(value);
}
