/** The reasons for skipped files, as text for users and models, with a count. */
const reasons = {
  large: count => `${files(count)} too large to be searched`,
  unreadable: () => 'files or folders that cannot be read',
  repositories: count => `${count === 1 ? '1 folder' : `${count} folders`} with a git repository of its own`,
  beyondLimit: () => 'the files beyond the most that are listed',
  guarded: count => `${files(count)} that the permission rules guard`,
} satisfies Record<string, (count: number) => string>;

/** The reason for skipping a file. */
export type SkipReason = keyof typeof reasons;

/** Counts files that a search skipped although they could match. */
export class SkippedFiles {
  readonly #counts = new Map<SkipReason, number>();

  add(reason: SkipReason, count = 1): void {
    if (count > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** The minimum number of skipped files of each kind. */
  get counts(): Partial<Record<SkipReason, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** Returns one line about the skipped files; no line when none were skipped. */
  get lines(): string[] {
    if (this.isEmpty) return [];
    return [`[Skipped: ${Array.from(this.#counts, ([reason, count]) => reasons[reason](count)).join('; ')}.]`];
  }
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}
