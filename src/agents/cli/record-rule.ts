/** What becomes of one kind of record that a program prints, for its page in the documentation. */
export interface RecordRule {
  readonly record: string;
  readonly becomes: string;
}
