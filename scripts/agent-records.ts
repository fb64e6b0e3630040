import { readFileSync } from 'node:fs';

type Rows = Readonly<Record<string, string>>;

/** What is known of the output of a program, beside its recordings: the expectations of `agent-records.test.ts`. */
export interface AgentRecords {
  /** What each record of print mode becomes; any other becomes `unknown`. */
  readonly print: Rows;
  /** What each message of the interactive channel becomes; any other becomes `unknown`. */
  readonly live: Rows;
  /** Where the events of the channel differ from those of print mode, by event or field. */
  readonly differences: Rows;
  /** What is not possible and why, or configured safe: short sentences. */
  readonly notes: readonly string[];
}

interface RecordsFile extends Partial<AgentRecords> {
  /** Another file that this one adds to. */
  readonly from?: string;
  /** Whether the channel has the records of print mode, too. */
  readonly liveIncludesPrint?: boolean;
}

/** Reads what is known of a program. */
export function readAgentRecords(id: string): AgentRecords {
  const url = new URL(`test/cli-agents/records/${id}.json`, `file://${process.cwd()}/`);
  const file = JSON.parse(readFileSync(url, 'utf8')) as RecordsFile;
  const base = file.from === undefined ? undefined : readAgentRecords(file.from);
  const print = { ...base?.print, ...file.print };
  return {
    print,
    live: { ...base?.live, ...(file.liveIncludesPrint === true && print), ...file.live },
    differences: { ...base?.differences, ...file.differences },
    notes: [...(base?.notes ?? []), ...(file.notes ?? [])],
  };
}
