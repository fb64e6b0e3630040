/** Why a search did not look at something: the words that a person and a model read, for a count of it. */
const reasons = {
  large: count => `${files(count)} too large to be searched`,
  unreadable: () => 'files or folders that cannot be read',
  repositories: count => `${count === 1 ? '1 folder' : `${count} folders`} with a git repository of its own`,
  beyondLimit: () => 'the files beyond the most that are listed',
  guarded: count => `${files(count)} that the permission rules guard`,
} satisfies Record<string, (count: number) => string>;

/** Why something was skipped. */
export type SkipReason = keyof typeof reasons;

/** Counts what a search skipped although it could hold what is searched for. */
export class SkippedFiles {
  readonly #counts = new Map<SkipReason, number>();

  add(reason: SkipReason, count = 1): void {
    if (count > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** How many of each kind were skipped, at least. */
  get counts(): Partial<Record<SkipReason, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** One line that says what was skipped; none when nothing was. */
  get lines(): string[] {
    if (this.isEmpty) return [];
    return [`[Skipped: ${Array.from(this.#counts, ([reason, count]) => reasons[reason](count)).join('; ')}.]`];
  }
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}
