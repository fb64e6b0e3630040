/** The code in an answer: the content of its `js`, `javascript` and `repl` fences, joined in order. */
export interface AnswerCode {
  /** The code of the answer; absent when it has none. */
  readonly code?: string;
  /** Whether the last code fence was not closed: the answer was cut off. */
  readonly unclosed: boolean;
}

const opening = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+-]*)/;
const languages: ReadonlySet<string> = new Set(['js', 'javascript', 'repl']);

/** Extracts the fenced code of an answer. All fences of an answer form one cell; an unclosed fence is not code. */
export function parseCode(answer: string): AnswerCode {
  const blocks: string[] = [];
  let open: { readonly fence: string; readonly lines: string[] | undefined } | undefined;
  for (const line of answer.split(/\r?\n/)) {
    if (open === undefined) {
      const [, fence, language = ''] = opening.exec(line) ?? [];
      if (fence !== undefined) open = { fence, lines: languages.has(language.toLowerCase()) ? [] : undefined };
    } else if (closes(line, open.fence)) {
      if (open.lines !== undefined) blocks.push(open.lines.join('\n'));
      open = undefined;
    } else open.lines?.push(line);
  }
  const code = blocks.join('\n').trim();
  return { ...(code !== '' && { code }), unclosed: open?.lines !== undefined };
}

function closes(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}
