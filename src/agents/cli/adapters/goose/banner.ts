/** The content of a line before the first record. */
export interface BannerLine {
  readonly sessionId?: string | undefined;
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  readonly isResumed?: boolean;
  /** The reason that it did not start. */
  readonly error?: string | undefined;
}

type Fields = readonly (string | undefined)[];

/** The lines of the banner: three that begin with a drawn goose, and those of older versions. */
const lines: readonly (readonly [RegExp, (...fields: Fields) => BannerLine])[] = [
  [/^ *__\( O\)> +● (.+?) · \S+ (.+?) *$/, (how, model) => ({ model, isResumed: how === 'resuming' })],
  [/^ *\\____\) +(\S+) · (.+?) *$/, (sessionId, cwd) => ({ sessionId, cwd })],
  [/^ *L L +goose is ready *$/, () => ({})],
  [
    /^(starting|resuming) session \| provider: \S+ model: (.+?) *$/,
    (how, model) => ({ model, isResumed: how === 'resuming' }),
  ],
  [/^ +session id: (\S+) *$/, sessionId => ({ sessionId })],
  [/^ +logging to \S*?([^/\s]+)\.jsonl *$/, sessionId => ({ sessionId })],
  [/^ +working directory: (.+?) *$/, cwd => ({ cwd })],
  [/^ *error: (.+?) *$/i, error => ({ error })],
];

/** Parses a line of the banner before the first record; undefined when it is not one. */
export function readBanner(line: string): BannerLine | undefined {
  for (const [pattern, read] of lines) {
    const found = pattern.exec(line);
    if (found !== null) return read(...found.slice(1));
  }
  return undefined;
}
