import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { ContentPart } from '../../../events/content.ts';
import type { CliCommand } from './cli-command.ts';
import type { AgentMode } from '../../contract/abilities.ts';
import type { SessionMcpServers, UsedTokens } from '../../contract/host.ts';

/** The way a user's decision reaches the model when the answer itself cannot contain it. */
export type ReasonDelivery = 'answer' | 'steer' | 'next_prompt';

/** The abilities of a program over its interactive channel; relays, documentation and the command derive from them. */
export interface LiveAbilities {
  /** How the reason of a rejection reaches the model. */
  readonly reason: ReasonDelivery;
  /** Whether a rejection ends the turn of the program. */
  readonly rejectEndsTurn: boolean;
  /** The calls that accept a revised input. */
  readonly revise: 'all' | 'none';
  readonly questions: boolean;
  readonly plans: boolean;
  /** A message during a turn: joins it, waits for its end, or would stop it (and therefore waits for its end, too). */
  readonly steer: 'joins' | 'queued';
  readonly resume: boolean;
  readonly fork: boolean;
  /** Whether calls of subagents are asked about; `off` when they are switched off because they would run unasked. */
  readonly subagents: 'asked' | 'denied' | 'off' | 'none';
  /** Whether several requests can be open at the same time. */
  readonly parallelRequests: boolean;
  readonly images: boolean;
  /** Whether a prompt can carry other files. */
  readonly files?: boolean;
  readonly usage: boolean;
  readonly cost: boolean;
  readonly switchModel: boolean;
  readonly switchMode: boolean;
  /** Whether a session can have MCP servers in addition to those of the user's settings. */
  readonly mcpServers?: boolean;
}

/** The settings of a live session. */
export interface LiveStart {
  readonly cwd: string;
  readonly model?: string | undefined;
  /** The program's own session to resume. */
  readonly sessionId?: string | undefined;
  /** The file of that session, when it is not among the program's own. */
  readonly sessionPath?: string | undefined;
  /** Whether the resumed session continues under a new id, so that the old one stays as it is. */
  readonly fork?: boolean | undefined;
  /** The program's own mode, such as `plan`. */
  readonly mode?: string | undefined;
  /** Lets the program do everything without asking. */
  readonly yolo?: boolean | undefined;
  readonly extraArgs?: readonly string[] | undefined;
  /** MCP servers of this session, by names of letters, digits, `-` and `_`; only with the ability `mcpServers`. */
  readonly mcpServers?: SessionMcpServers | undefined;
  /** The environment variables of the program, to find its settings; those of `LiveCommand.env` are added to them. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of this session for files that the program reads, such as settings; removed when the session ends. */
  readonly folder: string;
}

/** The command that starts the program, and the files it needs in `LiveStart.folder`, by name. */
export interface LiveCommand extends Pick<CliCommand, 'args' | 'env'> {
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * One turn: a prompt, and the run its events belong to. A run may have several turns: ids of events are unique over all
 * of them, and steps are numbered from 0 in each turn (the driver continues the numbering of the run).
 */
export interface LiveTurn {
  readonly runId: string;
  readonly content: string | readonly ContentPart[];
  readonly model?: string | undefined;
  /** The program's own mode. Default: its normal mode, which asks. */
  readonly mode?: string | undefined;
  /** The usage of earlier runs of the session, for programs that count per session; of use in the first turn only. */
  readonly usedBefore?: UsedTokens | undefined;
}

/** A request of the program to a user. Its id is unique within the channel, also across turns. */
export type LiveRequest = {
  readonly id: string /** The run that asks: the turn's, or a subagent's. */;
  readonly runId: string;
} & (
  | {
      readonly kind: 'permission';
      /** The event id of the call; the channel has emitted its `tool_call` before. */
      readonly toolCallId: string;
      /** The name that the `tool_call` has. */
      readonly tool: string;
      /** Its category for permission rules: `read`, `edit`, `execute` or `network`. Default: from the tool table. */
      readonly category?: string;
      /** The exact arguments that would run. */
      readonly input: Readonly<Record<string, unknown>>;
      /** The shell line as the shell receives it, when the call runs one. */
      readonly command?: string;
      /** The files that the call reads or writes, if the program reports them; empty if it certainly uses none. */
      readonly paths?: readonly string[];
      /** The change as a unified diff, when the program sends one. */
      readonly diff?: string;
      /** Why the agent wants it, in its own words. */
      readonly reason?: string;
      /** Whether this call takes a revised input. */
      readonly canRevise: boolean;
    }
  | {
      readonly kind: 'question';
      readonly toolCallId?: string;
      readonly question: string;
      readonly options?: readonly { readonly label: string; readonly description?: string }[];
      readonly selectionMode?: 'single_select' | 'multi_select';
    }
  | { readonly kind: 'plan'; readonly toolCallId?: string; readonly title?: string; readonly plan: string }
  /**
   * A call that the program may run without asking: only what a rule denies or asks about matters. Answered immediately
   * with `reject`, with `ask` (the program then makes a request for permission), or with `approve`: the program then
   * applies its own rules.
   */
  | ({ readonly kind: 'check' } & CheckedCall)
);

/** The details of a call that are known before a user is asked. */
interface CheckedCall {
  readonly tool: string;
  readonly category?: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly command?: string;
  readonly paths?: readonly string[];
}

/** The answer to a request. A channel delivers `feedback` only if its `reason` ability is `answer`. */
export type LiveAnswer =
  | {
      readonly outcome: 'approve' /** The revised input. */;
      readonly input?: Readonly<Record<string, unknown>>;
      readonly feedback?: string;
    }
  | { readonly outcome: 'reject'; readonly feedback?: string }
  | { readonly outcome: 'answer'; readonly answer: string | readonly string[] }
  /** Valid only for a check: the user must be asked about the call. */
  | { readonly outcome: 'ask'; readonly feedback?: string }
  /** The turn is being interrupted or the request has expired: the program must not execute the call. */
  | { readonly outcome: 'cancelled'; readonly feedback?: string };

/** A message that is sent into an open turn. */
export interface SteerMessage {
  readonly id: string;
  readonly content: string | readonly ContentPart[];
}

/** The end of a turn. The channel has emitted the events of its failure, but not `harness_end`. */
export interface LiveTurnEnd {
  readonly reason: 'complete' | 'error' | 'aborted' | 'max_iterations';
  /** The ids of steered messages that the program has not handled in this turn: they become the next prompt. */
  readonly unsent?: readonly string[];
}

/** Why a session is not usable, as data of an `error` event; the code is `session_unknown` if it cannot be resumed. */
export interface SessionProblem {
  readonly message: string;
  readonly code: string;
}

/** The details of an open session that the program has reported. */
export interface SessionInfo {
  readonly sessionId?: string;
  readonly model?: string;
  readonly mode?: string;
}

/** Receives what happens on a channel. Its calls are synchronous and never throw. */
export interface ChannelHost {
  /** Writes one message, without its line ending. */
  send(message: string): void;
  /** The session is open and its ask policy is verified: prompts may be sent. */
  ready(session: SessionInfo): void;
  /** Reports that the session cannot be opened or is no longer usable. */
  failed(problem: SessionProblem): void;
  /** Events of the turn and its subagents, in order. */
  emit(events: readonly AgentEvent[]): void;
  request(request: LiveRequest): void;
  /** Reports that the program no longer waits for the answer. */
  withdraw(requestId: string, reason: string): void;
  /** A steered message has reached the model (`joined`), or waits in the program until then (`queued`). */
  steered(messageId: string, delivery: 'joined' | 'queued'): void;
  turnEnded(end: LiveTurnEnd): void;
  /** Reports by how many milliseconds the session opens later, and the reason, which the user sees. */
  waiting?(reason: string, ms: number): void;
  /** Calls the callback after a delay, for programs that end turns only by silence. Returns a cancel function. */
  after(ms: number, callback: () => void): () => void;
}

/**
 * The protocol of one program's interactive channel: a state machine without clock, process or files. It receives lines
 * and commands and calls its host. It never throws and never waits for a request that the program has withdrawn; a line
 * that is not understood becomes an `unknown` event, an answer to a request that is not open does nothing.
 */
export interface LiveChannel {
  /** Opens the session: sends the handshake. */
  open(): void;
  /**
   * Handles one message of the program; `number` is its index in the raw record of the run. A line that arrives between
   * turns is received after the next `prompt`. A line before the first `prompt` that is not part of the handshake is
   * kept by the channel and handled in the first turn.
   */
  receive(line: string, number: number): void;
  /** Begins a turn; only after `ready` and when no turn is open. */
  prompt(turn: LiveTurn): void;
  answer(requestId: string, answer: LiveAnswer): void;
  /** Sends a message into the open turn. */
  steer(message: SteerMessage): void;
  /** Stops the open turn; the session stays usable. The channel cancels open requests as the program requires. */
  interrupt(): void;
  /** Handles the end of the program's output: emits the remaining events of the open turn. Later calls do nothing. */
  closed(): void;
}

/** The password of a local server: the transport chooses it and the program reads it from a variable. */
export interface ServeSettings {
  readonly user: string;
  readonly passwordVariable: string;
}

/** The interactive channel of an external agent. */
export interface LiveAdapter {
  /** The display name of its protocol. */
  readonly protocol: string;
  /** How messages travel: lines over stdin and stdout, or HTTP requests and server-sent events of a local server. */
  readonly transport: 'stdio' | 'serve';
  /** How the requests to a local server are authenticated; required for the transport `serve`. */
  readonly serve?: ServeSettings;
  readonly abilities: LiveAbilities;
  /** The modes that a user can choose, the normal one first; only with the ability `switchMode`. */
  readonly modes?: readonly AgentMode[];
  /** Shown as a warning before the first prompt: what would run unasked in spite of all settings. */
  readonly warning?: string;
  command(start: LiveStart): LiveCommand;
  /** Called before the program starts, to protect files that it would lose. */
  prepare?(start: LiveStart): void;
  channel(host: ChannelHost, start: LiveStart): LiveChannel;
}
