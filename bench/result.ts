/** One line of the table: how we compare with a peer, or an absolute number when there is none. */
export interface Result {
  readonly claim: string;
  readonly size: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer?: number;
  /** The bound that ours / peer has to keep. */
  readonly goal?: { readonly atMost: number } | { readonly atLeast: number };
}

/** One benchmark: what it finds, in the order in which it is shown. */
export type Benchmark = () => AsyncIterable<Result>;

/** How many times the peer's number ours is. */
export function ratioOf({ ours, peer }: Result): number | undefined {
  return peer === undefined ? undefined : ours / peer;
}

/** Whether the goal is met; undefined when there is none. */
export function isMet(result: Result): boolean | undefined {
  const ratio = ratioOf(result);
  if (ratio === undefined || result.goal === undefined) return undefined;
  return 'atMost' in result.goal ? ratio <= result.goal.atMost : ratio >= result.goal.atLeast;
}
