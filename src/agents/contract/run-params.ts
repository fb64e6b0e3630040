import type { RunAdditions } from '../../events/run-additions.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import type { Message } from '../../projections/message.ts';
import type { RelayState, RunState } from '../../projections/run-state.ts';
import type { Session } from './host.ts';

/** The thread, resource, author and context of a run, identical for all hosts. */
export interface RunOrigin<Context = unknown> {
  readonly runId: string;
  /** The thread of the run; absent without a log. */
  readonly threadId?: string | undefined;
  /** The owner of the thread: a user, a project, a tenant. */
  readonly resourceId?: string | undefined;
  /** The name of the author of the message that it answers. */
  readonly by?: string | undefined;
  /** The value of `start(…, { context })`, or of `contextOf`. */
  readonly context: Context;
}

/** The parameters of a run: its origin, its settings and its abort signal. */
export interface RunParams extends Partial<RunOrigin> {
  /** The id of the run; every event of the agent carries it. */
  readonly runId: string;
  /** Stops the run. */
  readonly signal: AbortSignal;
  /** The cause of the run; the run's first event carries it. */
  readonly parentId?: string;
  /** The number of ancestor runs. Default: 0, a run that a user started. */
  readonly depth?: number;
  /** A `provider/model` id that replaces the agent's own. */
  readonly model?: string;
  /** The mode of the thread, such as `plan`; an agent without this mode uses its own default. */
  readonly mode?: string;
  /** The folder of the thread, instead of the agent's own; ignored by agents without the ability `usesFolder`. */
  readonly cwd?: string;
  /** The additions of the client that requested the run; only for agents with the ability `takesAdditions`. */
  readonly additions?: RunAdditions;
  /** The state of the run before its process ended: the agent resumes from it. */
  readonly resume?: RunState;
}

/** The conversation that a run continues. */
export interface ConversationParams {
  /** The conversation so far; the request is last. */
  readonly messages: readonly Message[];
  /** The id of the first message of the conversation, to which a summary of its first part can refer. */
  readonly firstMessageId?: string;
  /** The id of the last message before the request, when the messages before it can be summarised on their own. */
  readonly previousMessageId?: string;
  /** The task list of the thread. */
  readonly tasks?: EventOf<'tasks'>['tasks'];
  /** Earlier decisions of users in the thread: grants for more than one call still apply. */
  readonly decided?: readonly RelayState[];
  /** The external program's own session in which this conversation can continue. */
  readonly session?: Session;
  /** Whether the conversation was imported: programs inherit only the short list of environment variables. */
  readonly isImported?: boolean;
}
