import type { EventOf } from '../../events/vocabulary.ts';
import { changesFolder } from './shell/classify-shell.ts';
import type { ToolTable } from './tool-table.ts';

type Call = EventOf<'tool_call'>;

const mostOpenCalls = 10_000;

/** The state of the projection for one open run. */
export class ActivityRun {
  readonly table: ToolTable;
  readonly calls = new Map<string, Call>();
  /** The subagent this run is; undefined for a run that no call started. */
  readonly subagent: { readonly subagentId: string; readonly subagentName?: string } | undefined;
  cwd: string | undefined;
  /** The message that is being written. */
  text:
    | {
        readonly key: string;
        readonly id: string;
        /** Whether a later fragment completes it. */
        readonly isOpen: boolean;
        readonly content: string;
        readonly ts: string;
        readonly line: number | undefined;
        readonly sessionId: string | undefined;
      }
    | undefined;
  /** The calls about which a person is asked, by the relay. */
  readonly asked = new Map<string, string>();
  /** The calls that started runs of subagents, while they are open. */
  readonly starters = new Set<string>();
  /** The part of reasoning that was shown last. */
  reasoning: string | undefined;
  /** The message of its last error. */
  lastError: string | undefined;
  #left = false;

  constructor(table: ToolTable, cwd: string | undefined, subagent?: ActivityRun['subagent']) {
    this.table = table;
    this.cwd = cwd;
    this.subagent = subagent;
  }

  /** Remembers a call; returns the oldest open one when there are too many to remember. */
  open(call: Call): Call | undefined {
    this.calls.set(call.id, call);
    if (this.calls.size <= mostOpenCalls) return undefined;
    const [oldest] = this.calls.values();
    if (oldest !== undefined) this.calls.delete(oldest.id);
    return oldest;
  }

  /** A person answered: a revised input is the one that runs. */
  answered({ relayId, outcome, input }: EventOf<'relay_resolved'>): void {
    const call = this.calls.get(this.asked.get(relayId) ?? '');
    this.asked.delete(relayId);
    if (call !== undefined && outcome === 'revise') this.calls.set(call.id, { ...call, input });
  }

  /** The folder the shell is in for the next command, when it can be known. */
  get shellCwd(): string | undefined {
    return this.table.shell === 'unknown' || this.#left ? undefined : this.cwd;
  }

  /** Takes note of a command that ran: a shell that stays open may be in another folder now. */
  ran(command: unknown): void {
    if (this.table.shell === 'persistent' && typeof command === 'string' && changesFolder(command)) this.#left = true;
  }
}
