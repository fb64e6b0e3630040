/** One token of a program, with what brackets, statements and names require. */
export interface Token {
  /** `value` is a literal, or a word after a dot; keywords are names. */
  readonly kind: 'name' | 'value' | 'mark';
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Whether it is the first on its line. */
  readonly newline: boolean;
  /** Whether it is outside of all brackets; a bracket itself counts as part of its statement. */
  readonly top: boolean;
}

// Unclosed constructs extend to the end, and regular expressions are bounded: the time is linear for any text.
const space = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/y;
const word = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /(?:\d|\.\d)[\w.]*/y;
const quoted = /'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?/y;
const regexp = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,200}\/\w*/y;
const template = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const mark = /=>|\+\+|--|\?\.|[\s\S]/y;

const operatorWords =
  /^(?:return|typeof|case|in|of|instanceof|new|delete|void|throw|do|else|await|yield|extends|default|let|const|var)$/;

/** Whether an expression may end with a token. */
export function endsExpression({ kind, text }: Token): boolean {
  if (kind === 'name') return !operatorWords.test(text);
  return kind === 'value' || /^(?:\)|\]|\}|\+\+|--)$/.test(text);
}

/** Returns the tokens of a program in order, without spaces and comments; never throws. */
export function* tokensOf(code: string): Generator<Token> {
  const brackets: string[] = [];
  let before: Token | undefined;
  let afterControl = false;
  for (let at = 0; ; ) {
    const skipped = match(space, at) ?? '';
    at += skipped.length;
    if (at >= code.length) return;
    const closing = /[)\]}]/.test(code[at] ?? '') ? brackets.pop() : undefined;
    const top = brackets.length === 0;
    const [kind, text] = read(at, closing);
    const token: Token = { kind, text, from: at, to: at + text.length, newline: skipped.includes('\n'), top };
    yield token;
    before = token;
    at = token.to;
  }

  function read(at: number, closing: string | undefined): readonly [Token['kind'], string] {
    if (code[at] === '`' || closing === '${') {
      const text = match(template, at) ?? code.slice(at);
      if (!text.endsWith('${')) return ['value', text];
      brackets.push('${');
      return ['mark', text];
    }
    const name = match(word, at);
    if (name !== undefined) return [before?.text === '.' || before?.text === '?.' ? 'value' : 'name', name];
    const literal = match(number, at) ?? match(quoted, at) ?? (regexpMayFollow() ? match(regexp, at) : undefined);
    if (literal !== undefined) return ['value', literal];
    const text = match(mark, at) ?? '';
    if (closing !== undefined) afterControl = closing === 'control';
    else if (/^[([{]$/.test(text))
      brackets.push(text === '(' && /^(?:if|while|for|with)$/.test(before?.text ?? '') ? 'control' : text);
    return ['mark', text];
  }

  function match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(code)?.[0];
  }

  function regexpMayFollow(): boolean {
    if (before === undefined || before.text === '}') return true;
    return before.text === ')' ? afterControl : !endsExpression(before);
  }
}
