/** Which options of a command take a value, and which do not; others are not understood. */
export interface OptionSyntax {
  /** Letters of short options without a value. */
  readonly flags: string;
  /** Letters of short options with a value. */
  readonly values: string;
  readonly longFlags?: readonly string[];
  readonly longValues?: readonly string[];
}

export interface ParsedOptions {
  /** Every option by its name without dashes, with its value or ''. */
  readonly options: readonly { readonly name: string; readonly value: string }[];
  readonly operands: readonly string[];
}

/** Splits arguments into options and operands; undefined when an option is not understood. */
export function parseOptions(args: readonly string[], syntax: OptionSyntax): ParsedOptions | undefined {
  const options: { name: string; value: string }[] = [];
  const operands: string[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') {
      operands.push(...rest.splice(0));
    } else if (arg === '-' || !arg.startsWith('-')) operands.push(arg);
    else {
      const found = arg.startsWith('--') ? longOption(arg, rest, syntax) : shortOptions(arg, rest, syntax);
      if (found === undefined) return undefined;
      options.push(...found);
    }
  }
  return { options, operands };
}

function longOption(arg: string, rest: string[], { longFlags = [], longValues = [] }: OptionSyntax) {
  const [, name = '', , value] = /^--([^=]+)(=([^]*))?$/.exec(arg) ?? [];
  if (longValues.includes(name)) return [{ name, value: value ?? rest.shift() ?? '' }];
  return longFlags.includes(name) ? [{ name, value: value ?? '' }] : undefined;
}

function shortOptions(arg: string, rest: string[], { flags, values }: OptionSyntax) {
  const options: { name: string; value: string }[] = [];
  for (let at = 1; at < arg.length; at++) {
    const name = arg[at] as string;
    if (values.includes(name)) {
      options.push({ name, value: arg.slice(at + 1) || (rest.shift() ?? '') });
      return options;
    }
    if (!flags.includes(name)) return undefined;
    options.push({ name, value: '' });
  }
  return options;
}
