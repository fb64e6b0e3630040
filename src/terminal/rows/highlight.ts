import { type Ink, type Line, span, type Span } from '../screen/styled-line.ts';

interface Grammar {
  readonly lineComment?: string;
  readonly blockComment?: readonly [string, string];
  readonly quotes: string;
  /** Quotes of strings that may go over several lines. */
  readonly longQuotes?: readonly string[];
  readonly words: ReadonlySet<string>;
}

const words = (text: string) => new Set(text.split(' '));
const cLike = { lineComment: '//', blockComment: ['/*', '*/'] as const, quotes: '"\'' };
const script: Grammar = {
  ...cLike,
  longQuotes: ['`'],
  words: words(
    'abstract as async await break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield',
  ),
};
const general: Grammar = {
  ...cLike,
  words: words(
    'abstract and as async auto await bool boolean break case catch chan char class const continue def default defer delete do double elif else end enum export extends extern false final finally float fn for from func function go goto if impl import in include inline instanceof int interface let long loop match mod module move mut namespace new nil not null or override package private protected pub public raise return self short sizeof static struct super switch template then this throw throws trait true try type typedef union unsafe unsigned use using var virtual void volatile when where while yield',
  ),
};
const python: Grammar = {
  lineComment: '#',
  quotes: '"\'',
  longQuotes: ['"""', "'''"],
  words: words(
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  ),
};
const shell: Grammar = {
  lineComment: '#',
  quotes: '"\'',
  words: words('case cd do done echo elif else esac exit export fi for function if in local return set then while'),
};
const data: Grammar = { lineComment: '#', quotes: '"\'', words: words('true false null yes no on off') };
const sql: Grammar = {
  lineComment: '--',
  blockComment: ['/*', '*/'],
  quotes: '"\'',
  words: words(
    'SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE INDEX DROP ALTER JOIN LEFT RIGHT INNER ON AS AND OR NOT NULL ORDER BY GROUP LIMIT select from where insert into values update set delete create table join left on as and or not null order by group limit',
  ),
};

const grammars: Readonly<Record<string, Grammar>> = Object.fromEntries(
  (
    [
      [script, 'js jsx ts tsx mjs cjs mts cts javascript typescript json jsonc json5'],
      [python, 'py python'],
      [shell, 'sh bash zsh shell console fish dockerfile makefile'],
      [data, 'yaml yml toml ini conf'],
      [sql, 'sql'],
      [general, 'c h cpp hpp cc cs go rs rust java kt kotlin swift php rb ruby scala dart lua zig css scss'],
    ] as const
  ).flatMap(([grammar, names]) => names.split(' ').map(name => [name, grammar])),
);

const number = /^(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)/;
const word = /^[\p{L}_$][\p{L}\p{N}_$]*/u;
/** A longer line is shown without colours. */
const longest = 2_000;

/** Draws code line by line: a comment or a string that goes over several lines is remembered from line to line. */
export class Highlighter {
  readonly #grammar: Grammar | undefined;
  readonly #isDiff: boolean;
  /** The end marker and the color of the comment or string that continues on the next line. */
  #open: { readonly end: string; readonly ink: Ink } | undefined;

  /** `language` is what follows the opening fence, or the extension of a file. */
  constructor(language: string) {
    this.#isDiff = /^(?:diff|patch)$/i.test(language);
    this.#grammar = grammars[language.toLowerCase()];
  }

  /** Returns the next line of the code with its styles. */
  line(text: string): Line {
    if (this.#isDiff) return [diffSpan(text)];
    const grammar = this.#grammar;
    if (grammar === undefined || text.length > longest) return [span(text)];
    const spans: Span[] = [];
    let plain = '';
    const add = (taken: string, ...inks: readonly Ink[]) => {
      if (inks.length === 0) {
        plain += taken;
        return;
      }
      if (plain !== '') spans.push(span(plain));
      plain = '';
      spans.push(span(taken, ...inks));
    };
    let rest = text;
    while (rest !== '') {
      const [taken, ...inks] = this.#next(rest, grammar);
      add(taken, ...inks);
      rest = rest.slice(taken.length);
    }
    if (plain !== '' || spans.length === 0) spans.push(span(plain));
    return spans;
  }

  #next(rest: string, grammar: Grammar): [string, ...Ink[]] {
    if (this.#open !== undefined) return this.#upTo(rest, this.#open.end, 0, this.#open.ink);
    const { lineComment, blockComment, quotes, longQuotes = [], words: known } = grammar;
    if (lineComment !== undefined && rest.startsWith(lineComment)) return [rest, 'dim'];
    if (blockComment !== undefined && rest.startsWith(blockComment[0]))
      return this.#upTo(rest, blockComment[1], blockComment[0].length, 'dim');
    const long = longQuotes.find(quote => rest.startsWith(quote));
    if (long !== undefined) return this.#upTo(rest, long, long.length, 'green');
    const [first = ''] = rest;
    if (quotes.includes(first)) return [stringAt(rest, first), 'green'];
    const digits = number.exec(rest)?.[0];
    if (digits !== undefined) return [digits, 'magenta'];
    const name = word.exec(rest)?.[0];
    if (name !== undefined) return known.has(name) ? [name, 'cyan'] : [name];
    return [first];
  }

  /** Takes what goes up to a mark, or the whole rest, and remembers that it is open then. */
  #upTo(rest: string, end: string, from: number, ink: Ink): [string, Ink] {
    const place = rest.indexOf(end, from);
    this.#open = place < 0 ? { end, ink } : undefined;
    return [place < 0 ? rest : rest.slice(0, place + end.length), ink];
  }
}

/** Draws a line of a patch as its sign says. */
function diffSpan(text: string): Span {
  if (/^(?:\+\+\+|---|diff|index|Index:)(?:\s|$)/.test(text)) return span(text, 'bold');
  const [sign = ''] = text;
  const ink = ({ '+': 'green', '-': 'red', '@': 'cyan', '>': 'green', '<': 'red' } as const)[sign];
  return ink === undefined ? span(text) : span(text, ink);
}

function stringAt(text: string, quote: string): string {
  for (let place = 1; place < text.length; place++) {
    if (text[place] === '\\') place++;
    else if (text[place] === quote) return text.slice(0, place + 1);
  }
  return text;
}
