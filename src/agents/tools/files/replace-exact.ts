export interface Replacement {
  readonly from: string;
  readonly to: string;
  /** Replaces every occurrence, not only one. */
  readonly all: boolean;
}

export type Replaced =
  | { readonly content: string; readonly count: number; readonly line: number }
  | { readonly problem: string };

/**
 * Replaces a text that occurs exactly once, or all its occurrences. In a file with Windows line endings, line breaks in
 * both texts match those of the file.
 */
export function replaceExact(text: string, { from, to, all }: Replacement): Replaced {
  if (from === to) return { problem: 'old_string and new_string are the same.' };
  const parts = text.split(from);
  const count = parts.length - 1;
  if (count === 0) {
    if (from.includes('\n') && !from.includes('\r') && text.includes('\r\n'))
      return replaceExact(text, { from: windows(from), to: windows(to), all });
    return { problem: 'old_string does not occur in it. Read the file and copy the text exactly.' };
  }
  if (count > 1 && !all)
    return { problem: `old_string occurs ${count} times. Add lines around it until it is unique, or set replace_all.` };
  return { content: parts.join(to), count, line: (parts[0] as string).split('\n').length };
}

function windows(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n');
}
