import type { EventOf } from '../../events/vocabulary.ts';
import { noUsage, type UsageCounts } from '../../events/usage-sum.ts';

/** A tool call, or an execution of code, that has no result yet. */
export interface OpenCall {
  readonly id: string;
  /** Its id on the wire: unlike `id` it is not used again when a step is repeated. */
  readonly key: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly run: OpenRun;
  /** Which step of its run it is of. */
  readonly step: number;
  readonly relays: Set<OpenRelay>;
  started: boolean;
  /** Whether a person did not allow it. */
  refused: boolean;
  /** Whether it ran a subagent. */
  spawned: boolean;
  /** The phase it reported last. */
  phase: number;
  /** In milliseconds since 1970: when it began, and how long a person was asked about it. */
  since: number | undefined;
  waitedMs: number;
}

/** Something a person is asked and has not decided. */
export interface OpenRelay {
  readonly id: string;
  readonly event: EventOf<'relay'>;
  readonly kind: 'tool' | 'plan' | 'question' | 'suspension' | 'access';
  /** What is decided on: a call's key, a plan's id, or the relay itself. */
  readonly target: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly run: OpenRun;
  readonly call: OpenCall | undefined;
  readonly askedAt: number | undefined;
}

/** A run that has not ended: the root of the request, or a subagent. */
export class OpenRun {
  readonly runId: string;
  readonly agentName: string;
  /** The run that started it; absent for the root. */
  readonly parent: OpenRun | undefined;
  /** The call that started it, when there is one. */
  readonly cause: OpenCall | undefined;
  readonly startedAt: number | undefined;
  readonly calls = new Set<OpenCall>();
  readonly relays = new Set<OpenRelay>();
  /** Ids under which it speaks beside its own. */
  readonly voices: string[] = [];
  /** Calls whose input streams, by id. */
  readonly inputs = new Map<string, { readonly key: string; readonly toolName: string }>();
  /** Ids of calls that were replaced before they ran, and how often: the log may use them again. */
  readonly abandoned = new Map<string, number>();
  /** Whether its beginning was emitted. */
  announced = false;
  model: string | undefined;
  usage: UsageCounts = noUsage;
  modelReason: string | undefined;
  /** What it said after its last tool; kept for subagents only. */
  words = '';
  error: { readonly message: string; readonly code?: string | undefined } | undefined;
  /** The number it gave its step, and how many steps were begun. */
  step: number | undefined;
  steps = 0;
  /** Whether the model call of the step ended. */
  isComplete = false;
  attempt = 1;
  /** Whether its model is asked or writes. */
  isWriting = true;
  /** Whether a result came since the last word. */
  answered = false;
  /** Since when its model is asked, and when it was last heard. */
  askedAt: number | undefined;
  heardAt: number | undefined;

  constructor(options: Pick<OpenRun, 'runId' | 'agentName' | 'parent' | 'cause' | 'startedAt' | 'model'>) {
    this.runId = options.runId;
    this.agentName = options.agentName;
    this.parent = options.parent;
    this.cause = options.cause;
    this.startedAt = options.startedAt;
    this.askedAt = options.startedAt;
    this.model = options.model;
  }

  /** The wire id of one of its calls. */
  keyOf(id: string): string {
    const times = this.abandoned.get(id);
    return times === undefined ? id : `${id}~${times + 1}`;
  }

  /** Notes that a call was replaced before it ran. */
  abandon(id: string): void {
    this.abandoned.set(id, (this.abandoned.get(id) ?? 0) + 1);
  }
}
