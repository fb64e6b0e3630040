interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Returns the code with its top-level `let`, `const` and `class` declarations rewritten to `var`, so that a later cell
 * may declare the same names again. Lines, columns before a class and everything inside brackets stay unchanged. Never
 * throws.
 */
export function persistDeclarations(code: string): string {
  let text = '';
  let at = 0;
  for (const edit of new Declarations(tokensOf(code)).edits) {
    text += code.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return text + code.slice(at);
}

/** Finds the changes token by token; only tokens outside of brackets matter. */
class Declarations {
  readonly edits: Edit[] = [];
  #before: Token | undefined;
  /** The first word of a possible declaration. */
  #first: Token | undefined;
  /** The position in a list of `let` declarations: before a name, after it, or in its value. */
  #list: 'name' | 'after' | 'value' | undefined;
  #nameEnd = 0;
  #class: 'head' | 'body' | undefined;

  constructor(tokens: Iterable<Token>) {
    for (const token of tokens) {
      if (token.top) this.#take(token);
      this.#before = token;
    }
    this.#finishName();
  }

  #take(token: Token): void {
    if (this.#first !== undefined) this.#declare(this.#first, token);
    if (this.#list !== undefined) this.#inList(token);
    if (this.#class !== undefined) this.#inClass(token);
    const declares = token.kind === 'name' && /^(?:let|const|class)$/.test(token.text);
    this.#first = declares && startsStatement(this.#before, token) ? token : undefined;
  }

  /** Rewrites a declaration once the token after its first word is known. */
  #declare({ text, from, to }: Token, next: Token): void {
    if (text === 'class') {
      if (next.kind !== 'name' || next.text === 'extends') return;
      this.edits.push({ from, to: from, text: `var ${next.text} = ` });
      this.#class = 'head';
    } else if (next.kind === 'name' || next.text === '[' || next.text === '{') {
      this.edits.push({ from, to, text: 'var'.padEnd(text.length) });
      if (text === 'let') this.#list = 'name';
    }
  }

  #inList(token: Token): void {
    if (this.#list === 'name') {
      this.#nameEnd = token.to;
      this.#list = token.kind === 'name' ? 'after' : 'value';
    } else if (token.text === ',') {
      this.#finishName();
      this.#list = 'name';
    } else if (this.#list === 'after') {
      if (token.text === '=') this.#list = 'value';
      else this.#finishName();
    } else if (startsStatement(this.#before, token)) this.#list = undefined;
  }

  /** Sets a name that is declared without a value to undefined, as a name may have a value from an earlier cell. */
  #finishName(): void {
    if (this.#list === 'after') this.edits.push({ from: this.#nameEnd, to: this.#nameEnd, text: ' = undefined' });
    this.#list = undefined;
  }

  /** A declaration that became an expression needs an explicit end. */
  #inClass({ text, to }: Token): void {
    if (text === '{') this.#class = 'body';
    else if (text === '}' && this.#class === 'body') {
      this.#class = undefined;
      this.edits.push({ from: to, to, text: ';' });
    }
  }
}

/**
 * Whether a statement starts with a token: the previous one ended, or its line did and the token cannot continue it.
 */
function startsStatement(before: Token | undefined, { text, kind, newline }: Token): boolean {
  if (before === undefined || before.text === ';') return true;
  if (text.startsWith('`') || /^(?:in|of|instanceof)$/.test(text)) return false;
  if (kind === 'mark' && !/^(?:\{|\+\+|--|!|~)$/.test(text)) return text === ';';
  return before.text === '}' ? newline || kind === 'name' : newline && endsExpression(before);
}

/** One token of a program, with what brackets, statements and names require. */
interface Token {
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
function endsExpression({ kind, text }: Token): boolean {
  if (kind === 'name') return !operatorWords.test(text);
  return kind === 'value' || /^(?:\)|\]|\}|\+\+|--)$/.test(text);
}

/** Returns the tokens of a program in order, without spaces and comments; never throws. */
function* tokensOf(code: string): Generator<Token> {
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
