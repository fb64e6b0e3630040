/**
 * The events as interfaces. `npm run docs` writes this file from the definitions in this folder: change those.
 * @module
 */

/** The fields that every event may carry. */
export interface EventEnvelope {
  /** The run this event belongs to. */
  runId: string;
  /** The node that caused the run: a tool call, a repl input, a user node. */
  parentId?: string | undefined;
  /** When it was seen; the log stamps it when absent. */
  ts?: string | undefined;
  /** Its place in the thread; only the log assigns it. */
  seq?: number | undefined;
  /** The session of the external program that produced it. */
  sessionId?: string | undefined;
  /** The agent that made it. */
  agentId?: string | undefined;
  /** The number of the raw line it was translated from. */
  line?: number | undefined;
}

/** A run began. It is the first event of its run. */
export interface HarnessStartEvent extends EventEnvelope {
  type: 'harness_start';
  /** The agent that runs. */
  agentId: string;
  /** The model it was started with. */
  model?: string | undefined;
  /** The directory it works in. */
  cwd?: string | undefined;
  /** The trace it belongs to, when the caller named one. */
  trace?: {
    /** The id of the trace. */
    traceId: string;
    /** The span that the run is a part of. */
    parentSpanId?: string | undefined;
    /** False when the caller does not record the trace. */
    sampled?: boolean | undefined;
    /** Labels of the trace. */
    tags?: string[] | undefined;
    /** Further data. */
    metadata?: Record<string, unknown> | undefined;
    [more: string]: unknown;
  } | undefined;
  /** Whether it is the record of a run that took place elsewhere: without an end it counts as interrupted. */
  recorded?: boolean | undefined;
  /** Its task in the background of its parent run, whose abort and end do not affect it. */
  memory?: {
    /** The kind of text it produces. */
    operation: 'observation' | 'reflection' | 'title';
    /** Whether the run that it serves continues meanwhile. */
    background: boolean;
    /** The tokens it condenses. */
    tokens: number;
    [more: string]: unknown;
  } | undefined;
}

/** A run ended. It is the last event of its run. */
export interface HarnessEndEvent extends EventEnvelope {
  type: 'harness_end';
  /** The agent that ran. */
  agentId: string;
  /** Why it ended. */
  reason?: 'complete' | 'max_iterations' | 'limit_reached' | 'aborted' | 'error' | 'timeout' | 'interrupted' | undefined;
  /** The structured output of the run: by the schema of its agent, or the value given to FINAL(). */
  output?: unknown;
}

/** Everything a model is sent besides the messages of the conversation. A thread has each context once, before the first `step_start` that names it; a tool is described only in the first context that has it. */
export interface ModelContextEvent extends EventEnvelope {
  type: 'model_context';
  /** The hash of the context, with every tool whole. */
  id: string;
  /** The provider of the model; the agent, when an external program reported it. */
  provider: string;
  /** True when an external program reported it: names of tools and settings, not what it sent. */
  reported?: boolean | undefined;
  /** The instructions before the messages. */
  instructions?: string | undefined;
  /** The tools that are offered, in order; `tool` is absent when an earlier context has it. */
  tools: {
    /** The hash of the tool. */
    id: string;
    /** Name, description and schema of the input. */
    tool?: Record<string, unknown> | undefined;
    [more: string]: unknown;
  }[];
  /** The settings of the call and the format of the answer; headers without their values. */
  settings: Record<string, unknown>;
  /** Messages before those of the conversation, such as observations of other threads. */
  first?: {
    role: 'system' | 'user' | 'assistant' | 'tool';
    content: unknown;
    [more: string]: unknown;
  }[] | undefined;
  /** Outputs of tools are sent up to this many characters. */
  maxOutputLength?: number | undefined;
  /** Of a recursive language model: outputs of code are sent up to this many characters. */
  maxShownLength?: number | undefined;
}

/** A step of a run began: one model call and the tools it asks for. */
export interface StepStartEvent extends EventEnvelope {
  type: 'step_start';
  /** Zero-based number of the step within its run. */
  step: number;
  /** The model call of this step. */
  callId?: string | undefined;
  /** The model of the call. */
  model?: string | undefined;
  /** The number of the attempt at this step, when it repeats one that failed or was interrupted. */
  attempt?: number | undefined;
  /** Ids of the text, reasoning and calls of the attempt before, which no longer count. */
  replaces?: string[] | undefined;
  /** The `model_context` that was sent with the messages of the conversation. */
  contextId?: string | undefined;
  /** The messages that the run begins with here, when the conversation does not have them: the task of a subagent. */
  messages?: {
    role: 'system' | 'user' | 'assistant' | 'tool';
    content: unknown;
    [more: string]: unknown;
  }[] | undefined;
  /** Hash of the request, so that a replay can detect where it diverges. */
  requestHash?: string | undefined;
}

/** An external program reported the id of its session; the session can be resumed by that id. */
export interface SessionEvent extends EventEnvelope {
  type: 'session';
  /** The session id, as the program prints it. */
  sessionId: string;
  /** The directory the session works in. */
  cwd?: string | undefined;
  /** The model the session uses. */
  model?: string | undefined;
  /** The title that the program gave the session. */
  title?: string | undefined;
  /** The slash commands that the program reported. */
  commands?: {
    /** Without the slash. */
    name: string;
    description?: string | undefined;
    [more: string]: unknown;
  }[] | undefined;
}

/** A person said something. */
export interface UserEvent extends EventEnvelope {
  type: 'user';
  /** The text, or its parts. */
  content: string | ({
    type: 'text';
    text: string;
    [more: string]: unknown;
  } | {
    type: 'image';
    data: string;
    mediaType: string;
    [more: string]: unknown;
  } | {
    type: 'file';
    data: string;
    mediaType: string;
    filename?: string | undefined;
    [more: string]: unknown;
  })[];
  /** An id chosen by the sender, so that a repeated message is recognised. */
  id?: string | undefined;
  /** The author: the name of a person, or of the subagent that ended. */
  by?: string | undefined;
  /** Whether a program wrote it: the outcome of a subagent, a request to correct the output, or a note to an external agent. */
  automatic?: boolean | undefined;
  /** The message this one follows, empty for the beginning; siblings share it; the newest of the active branch when absent. */
  parentMessageId?: string | undefined;
}

/** A fragment of streamed text. */
export interface TextEvent extends EventEnvelope {
  type: 'text';
  /** The same for every fragment of one stream. */
  id: string;
  /** The fragment. */
  content: string;
  /** The model call that produced it. */
  callId?: string | undefined;
  /** Data that the provider needs back in later requests. */
  providerMetadata?: Record<string, unknown> | undefined;
  /** Whether the message is complete with this fragment, which may be empty; false when a later one completes it; absent when its end is not marked. */
  final?: boolean | undefined;
  /** Whether it is the answer of a subagent as the result of its call reports it, not text it wrote. */
  fromResult?: boolean | undefined;
}

/** A fragment of streamed reasoning. */
export interface ReasoningEvent extends EventEnvelope {
  type: 'reasoning';
  /** The same for every fragment of one stream. */
  id: string;
  /** The fragment. */
  content: string;
  /** The model call that produced it. */
  callId?: string | undefined;
  /** Data that the provider needs back in later requests. */
  providerMetadata?: Record<string, unknown> | undefined;
}

/** A fragment of the arguments of a tool call, while the model writes them. */
export interface ToolInputDeltaEvent extends EventEnvelope {
  type: 'tool_input_delta';
  /** The id the tool call will have. */
  id: string;
  /** The tool, when it is known. */
  name?: string | undefined;
  /** The fragment, a piece of JSON text. */
  delta: string;
}

/** A model asked for a tool. */
export interface ToolCallEvent extends EventEnvelope {
  type: 'tool_call';
  /** The id of the call, `{runId}/{rawId}` in our own loop. */
  id: string;
  /** The tool. */
  name: string;
  /** The arguments; `{ __toolParseError, parseError, rawArguments }` when malformed. */
  input: unknown;
  /** The provider that executes the tool itself, when it is one. */
  executedBy?: string | undefined;
  /** Data that the provider needs back in later requests. */
  providerMetadata?: Record<string, unknown> | undefined;
}

/** A tool call is about to be executed. It is stored before the tool runs. */
export interface ToolStartEvent extends EventEnvelope {
  type: 'tool_start';
  /** The id of the tool call. */
  id: string;
  /** The tool. */
  name: string;
}

/** A running tool reported progress. */
export interface ToolProgressEvent extends EventEnvelope {
  type: 'tool_progress';
  /** The id of this report. */
  id: string;
  /** The tool call it belongs to. */
  toolCallId: string;
  /** The tool. */
  name: string;
  /** The report of the tool; its form depends on the tool. */
  content: unknown;
}

/** A tool call has its outcome. */
export interface ToolResultEvent extends EventEnvelope {
  type: 'tool_result';
  /** The id of the tool call. */
  id: string;
  /** The tool. */
  name: string;
  /** The outcome: `{ context, result }`, `{ status: "denied", reason, by? }`, `{ error }`, or any other value. */
  output: unknown;
  /** Data that the provider needs back in later requests. */
  providerMetadata?: Record<string, unknown> | undefined;
}

/** Code a model wrote is about to be executed. */
export interface ReplInputEvent extends EventEnvelope {
  type: 'repl_input';
  /** The id of the execution: input, progress and output share it. */
  id: string;
  /** The JavaScript. */
  code: string;
  /** Zero-based index of the loop. */
  iteration?: number | undefined;
}

/** Executing code printed something. */
export interface ReplProgressEvent extends EventEnvelope {
  type: 'repl_progress';
  /** The id of the execution: input, progress and output share it. */
  id: string;
  /** The fragment of output. */
  chunk: string;
  /** Where it was printed. */
  stream: 'stdout' | 'stderr';
}

/** An execution ended. */
export interface ReplOutputEvent extends EventEnvelope {
  type: 'repl_output';
  /** The id of the execution: input, progress and output share it. */
  id: string;
  /** All it printed. */
  stdout: string;
  /** The error, when it failed. */
  error?: string | undefined;
  /** Whether FINAL() was called. */
  done: boolean;
  /** The argument of FINAL(). */
  final?: string | undefined;
  /** True when that was no string, and `final` is its JSON. */
  structured?: boolean | undefined;
  /** Zero-based index of the loop. */
  iteration?: number | undefined;
  /** Wall-clock time of the execution. */
  durationMs?: number | undefined;
  /** True when stdout was cut. */
  truncated?: boolean | undefined;
}

/** An agent asks a person something and waits. Its kind is `permission`. */
export interface PermissionRelayEvent extends EventEnvelope {
  type: 'relay';
  /** The id an answer names. */
  id: string;
  relayKind: 'permission';
  /** When the request expires. */
  expiresAt?: string | undefined;
  /** The outcomes that the agent can act on; every outcome of its kind when absent. */
  answers?: ('approve' | 'reject' | 'revise' | 'answer')[] | undefined;
  /** The tool call that waits. */
  toolCallId: string;
  /** The tool that would run. */
  tool: string;
  /** The category of the tool. */
  category?: string | undefined;
  /** A rule that denies may match the call: only an answer to this relay approves it, no grant. */
  personOnly?: boolean | undefined;
  /** The arguments it would run with. */
  params: Record<string, unknown>;
  /** The shell line that would run, exactly as the shell receives it. */
  command?: string | undefined;
  /** The change to files that would be made, as a unified diff. */
  diff?: string | undefined;
  /** Why the agent wants it, in its own words. */
  reason?: string | undefined;
}

/** An agent asks a person something and waits. Its kind is `question`. */
export interface QuestionRelayEvent extends EventEnvelope {
  type: 'relay';
  /** The id an answer names. */
  id: string;
  relayKind: 'question';
  /** When the request expires. */
  expiresAt?: string | undefined;
  /** The outcomes that the agent can act on; every outcome of its kind when absent. */
  answers?: ('approve' | 'reject' | 'revise' | 'answer')[] | undefined;
  /** The tool call that waits. */
  toolCallId?: string | undefined;
  /** The question. */
  question: string;
  /** The choices. */
  options?: {
    label: string;
    description?: string | undefined;
    [more: string]: unknown;
  }[] | undefined;
  /** How many choices may be taken. */
  selectionMode?: 'single_select' | 'multi_select' | undefined;
}

/** An agent asks a person something and waits. Its kind is `plan`. */
export interface PlanRelayEvent extends EventEnvelope {
  type: 'relay';
  /** The id an answer names. */
  id: string;
  relayKind: 'plan';
  /** When the request expires. */
  expiresAt?: string | undefined;
  /** The outcomes that the agent can act on; every outcome of its kind when absent. */
  answers?: ('approve' | 'reject' | 'revise' | 'answer')[] | undefined;
  /** The tool call that waits. */
  toolCallId?: string | undefined;
  /** The plan to decide on. */
  planId: string;
  /** Its title. */
  title?: string | undefined;
  /** Its text. */
  plan: string;
}

/** An agent asks a person something and waits. Its kind is `suspension`. */
export interface SuspensionRelayEvent extends EventEnvelope {
  type: 'relay';
  /** The id an answer names. */
  id: string;
  relayKind: 'suspension';
  /** When the request expires. */
  expiresAt?: string | undefined;
  /** The outcomes that the agent can act on; every outcome of its kind when absent. */
  answers?: ('approve' | 'reject' | 'revise' | 'answer')[] | undefined;
  /** The tool call that waits; absent when a limit of spending asks. */
  toolCallId?: string | undefined;
  /** The tool that would run. */
  tool: string;
  /** The arguments it would run with. */
  params?: Record<string, unknown> | undefined;
  /** The reason for waiting, in a form that the tool defines. */
  payload?: unknown;
  /** JSON Schema of the data it wants. */
  resumeSchema?: string | undefined;
  /** Whether the client that asked for the run executes the call, and answers with its result. */
  forClient?: boolean | undefined;
}

/** An agent asks a person something and waits. Its kind is `access`. */
export interface AccessRelayEvent extends EventEnvelope {
  type: 'relay';
  /** The id an answer names. */
  id: string;
  relayKind: 'access';
  /** When the request expires. */
  expiresAt?: string | undefined;
  /** The outcomes that the agent can act on; every outcome of its kind when absent. */
  answers?: ('approve' | 'reject' | 'revise' | 'answer')[] | undefined;
  /** The tool call that waits. */
  toolCallId?: string | undefined;
  /** The requested access, such as `{ path, reason }`. */
  params: Record<string, unknown>;
}

/** An agent asks a person something and waits. */
export type RelayEvent = PermissionRelayEvent | QuestionRelayEvent | PlanRelayEvent | SuspensionRelayEvent | AccessRelayEvent;

/** A relay has its answer. The first answer wins. */
export interface RelayResolvedEvent extends EventEnvelope {
  type: 'relay_resolved';
  /** The relay that was answered. */
  relayId: string;
  /** The decision. */
  outcome: 'approve' | 'reject' | 'revise' | 'answer' | 'expired' | 'cancelled';
  /** Words for the agent. */
  feedback?: string | undefined;
  /** The input to use instead, when revised. */
  input?: unknown;
  /** The answer to a question. */
  answer?: string | string[] | undefined;
  /** How far an approval reaches. */
  remember?: 'once' | 'thread' | 'category' | undefined;
  /** The person or program that answered. */
  by?: string | undefined;
}

/** An approval that reached beyond its call applies no longer: later turns ask again. */
export interface GrantRevokedEvent extends EventEnvelope {
  type: 'grant_revoked';
  /** The relay whose answer granted it. */
  relayId: string;
  /** The person or program that revoked it. */
  by?: string | undefined;
}

/** A plan moved from one status to another. */
export interface PlanStatusEvent extends EventEnvelope {
  type: 'plan_status';
  /** The plan. */
  planId: string;
  /** The status it had; absent when the plan is new. */
  from?: 'draft' | 'approved' | 'executing' | 'executed' | 'failed' | undefined;
  /** The status it has now. */
  to: 'draft' | 'approved' | 'executing' | 'executed' | 'failed';
}

/** The task list of the thread was replaced. */
export interface TasksEvent extends EventEnvelope {
  type: 'tasks';
  /** The whole list. */
  tasks: {
    id: string;
    content: string;
    status: 'pending' | 'in_progress' | 'completed';
    activeForm?: string | undefined;
    [more: string]: unknown;
  }[];
  /** Whether the application put them there, and no tool changed them. */
  restored?: boolean | undefined;
}

/** A span of the conversation has a shorter form. Its source stays in the log. */
export interface SummaryEvent extends EventEnvelope {
  type: 'summary';
  /** The id of the summary. */
  id: string;
  /** The first and the last node it stands for, along the active branch. */
  covers: {
    from: string;
    to: string;
    [more: string]: unknown;
  };
  /** The shorter form. */
  text: string;
  /** The mechanism that produced it. */
  kind: 'compaction' | 'observation' | 'reflection';
  /** False: buffered, it stands for nothing until a later summary activates it; true when absent. */
  active?: boolean | undefined;
  /** The buffered summaries that this one puts into effect. */
  activates?: string[] | undefined;
  /** The task of the agent at the end of the span. */
  currentTask?: string | undefined;
  /** The suggested next step of the agent. */
  suggestedResponse?: string | undefined;
  /** The tokens of the text. */
  tokens?: number | undefined;
  /** How many messages of the model it stands for. */
  coveredMessages?: number | undefined;
  /** The `model_context` of the request that a compaction made. */
  contextId?: string | undefined;
  /** The last message of that request, after the messages that are covered. */
  asked?: string | undefined;
  /** Hash of that request. */
  requestHash?: string | undefined;
  /** The tokens of what it stands for. */
  coveredTokens?: number | undefined;
}

/** Tokens were used. A count that was never reported is absent. */
export interface UsageEvent extends EventEnvelope {
  type: 'usage';
  /** Tokens sent, cached ones included. */
  inputTokens: number;
  /** Tokens received, reasoning included. */
  outputTokens: number;
  /** Sent tokens that were read from a cache. */
  cacheReadTokens?: number | undefined;
  /** Sent tokens that were written to a cache. */
  cacheWriteTokens?: number | undefined;
  /** Received tokens that were reasoning. */
  reasoningTokens?: number | undefined;
  /** The model that used them. */
  model?: string | undefined;
  /** The cost in US dollars, when it was reported. */
  cost?: number | undefined;
  /** Why the model stopped. */
  finishReason?: string | undefined;
  /** The model call that produced it. */
  callId?: string | undefined;
}

/** Something failed. Only a fatal error ends a run. */
export interface ErrorEvent extends EventEnvelope {
  type: 'error';
  /** The message for the user. */
  message: string;
  /** A stable code, when there is one. */
  code?: string | undefined;
  /** Whether the run ends by it. */
  fatal?: boolean | undefined;
  /** Whether trying again may help. */
  retryable?: boolean | undefined;
  /** How long to wait before trying again. */
  retryAfterMs?: number | undefined;
}

/** Something may be wrong; the run continues. */
export interface WarningEvent extends EventEnvelope {
  type: 'warning';
  /** The message for the user. */
  message: string;
  /** A stable code, when there is one. */
  code?: string | undefined;
  /** How long until what failed is tried again. */
  retryAfterMs?: number | undefined;
}

/** A file became available to the person. */
export interface FileRegisteredEvent extends EventEnvelope {
  type: 'file_registered';
  /** The id of the file. */
  id: string;
  /** Where it is, relative to the workspace. */
  path: string;
  /** Its media type. */
  mediaType?: string | undefined;
  /** Its size in bytes. */
  size?: number | undefined;
  /** The tool call that made it. */
  toolCallId?: string | undefined;
}

/** An agent printed something that is not understood. Nothing of it is lost. */
export interface UnknownEvent extends EventEnvelope {
  type: 'unknown';
  /** The printed value: any JSON value, a string when it was not JSON. */
  raw: unknown;
}

/** An event of a product built on this one. */
export interface CustomEvent extends EventEnvelope {
  type: 'custom';
  /** The name of the kind of event. */
  name: string;
  /** Its data. */
  data: unknown;
}

/** The thread is in another mode. */
export interface ModeChangedEvent extends EventEnvelope {
  type: 'mode_changed';
  /** The mode it is in now. */
  modeId: string;
  /** The mode it was in. */
  previousModeId?: string | undefined;
}

/** The thread uses another model. */
export interface ModelChangedEvent extends EventEnvelope {
  type: 'model_changed';
  /** The model it uses now. */
  modelId: string;
  /** How far the choice reaches. */
  scope?: 'global' | 'thread' | 'mode' | undefined;
  /** The mode it was chosen for. */
  modeId?: string | undefined;
}

/** The thread works in another folder from here on. */
export interface FolderChangedEvent extends EventEnvelope {
  type: 'folder_changed';
  /** The absolute path of the folder. */
  folder: string;
  /** The git worktree that the folder belongs to, when it was made for this thread. */
  worktree?: {
    /** The folder that the worktree is a copy of. */
    origin: string;
    /** Its branch. */
    branch: string;
    /** The commit it began with. */
    head: string;
    /** The command that prepares it. */
    setup?: string | undefined;
    [more: string]: unknown;
  } | undefined;
  /** The files whose changes in the worktree were applied to the folder. */
  kept?: string[] | undefined;
  /** A note about the folder for the user. */
  note?: string | undefined;
}

/** One of several siblings became the active one. */
export interface BranchSelectedEvent extends EventEnvelope {
  type: 'branch_selected';
  /** The sibling: a user node or the start of a run. */
  nodeId: string;
}

/** A person folded or unfolded a message, a tool call or a summary. */
export interface CollapsedEvent extends EventEnvelope {
  type: 'collapsed';
  /** The folded node: the id of a message, a tool call or a summary. */
  nodeId: string;
  /** Whether it is folded now; an unfolded summary shows its source. */
  collapsed: boolean;
}

/** A run was requested; it is open until its `harness_end`. */
export interface RunRequestedEvent extends EventEnvelope {
  type: 'run_requested';
  /** The message that it answers. */
  parentId: string;
  /** The agent that is to run. */
  agentId: string;
  /** The model to use instead of the agent's own. */
  model?: string | undefined;
  /** Tools and context that the client adds to the agent for this run. */
  additions?: {
    /** Tools that the client executes. */
    tools?: {
      /** Its name, for the model. */
      name: string;
      /** The description for the model. */
      description?: string | undefined;
      /** JSON Schema of its input. */
      parameters?: Record<string, unknown> | undefined;
      [more: string]: unknown;
    }[] | undefined;
    /** Words that follow the agent's instructions. */
    instructions?: string | undefined;
    [more: string]: unknown;
  } | undefined;
}

/** The end of the run was requested; the process that owns the run stops it. */
export interface AbortRequestedEvent extends EventEnvelope {
  type: 'abort_requested';
  /** The person or program that asked. */
  by?: string | undefined;
}

/** A message waits. It is delivered by the `user` event with its id. */
export interface MessageQueuedEvent extends EventEnvelope {
  type: 'message_queued';
  /** The id of the message. */
  id: string;
  /** The text, or its parts. */
  content: string | ({
    type: 'text';
    text: string;
    [more: string]: unknown;
  } | {
    type: 'image';
    data: string;
    mediaType: string;
    [more: string]: unknown;
  } | {
    type: 'file';
    data: string;
    mediaType: string;
    filename?: string | undefined;
    [more: string]: unknown;
  })[];
  /** Whether it goes into the run at its next safe point, or begins a turn when the run has ended. */
  delivery: 'steer' | 'follow_up';
  /** The run that it goes into, or whose end it waits for. */
  waitsFor?: string | undefined;
  /** The person or program that sent it. */
  by?: string | undefined;
  /** The id of the agent that answers it when it begins a turn. */
  agent: string;
  /** The model of that turn. */
  model?: string | undefined;
  /** The mode that the thread changes to with it. */
  mode?: string | undefined;
  /** It was sent with a request context, which only the process that accepted it has. */
  hasContext?: true | undefined;
  /** The trace it belongs to, when the caller named one. */
  trace?: {
    /** The id of the trace. */
    traceId: string;
    /** The span that the run is a part of. */
    parentSpanId?: string | undefined;
    /** False when the caller does not record the trace. */
    sampled?: boolean | undefined;
    /** Labels of the trace. */
    tags?: string[] | undefined;
    /** Further data. */
    metadata?: Record<string, unknown> | undefined;
    [more: string]: unknown;
  } | undefined;
  /** Tools and context that the client adds to the agent for this run. */
  additions?: {
    /** Tools that the client executes. */
    tools?: {
      /** Its name, for the model. */
      name: string;
      /** The description for the model. */
      description?: string | undefined;
      /** JSON Schema of its input. */
      parameters?: Record<string, unknown> | undefined;
      [more: string]: unknown;
    }[] | undefined;
    /** Words that follow the agent's instructions. */
    instructions?: string | undefined;
    [more: string]: unknown;
  } | undefined;
  /** Its place in the queue: the lowest is delivered first. */
  order: number;
}

/** A waiting message has other words or another place in the queue, or goes into the run. */
export interface MessageChangedEvent extends EventEnvelope {
  type: 'message_changed';
  /** The id of the message. */
  id: string;
  /** The text, or its parts. */
  content?: string | ({
    type: 'text';
    text: string;
    [more: string]: unknown;
  } | {
    type: 'image';
    data: string;
    mediaType: string;
    [more: string]: unknown;
  } | {
    type: 'file';
    data: string;
    mediaType: string;
    filename?: string | undefined;
    [more: string]: unknown;
  })[] | undefined;
  /** Its place in the queue: the lowest is delivered first. */
  order?: number | undefined;
  /** It goes into the run at its next safe point from now on. */
  delivery?: 'steer' | undefined;
}

/** A waiting message is not delivered any more. */
export interface MessageWithdrawnEvent extends EventEnvelope {
  type: 'message_withdrawn';
  /** The id of the message. */
  id: string;
}

/** The older form of a `message_queued` that goes into the run, and read like it. */
export interface SteerRequestedEvent extends EventEnvelope {
  type: 'steer_requested';
  /** The id of the message. */
  id: string;
  /** The text, or its parts. */
  content: string | ({
    type: 'text';
    text: string;
    [more: string]: unknown;
  } | {
    type: 'image';
    data: string;
    mediaType: string;
    [more: string]: unknown;
  } | {
    type: 'file';
    data: string;
    mediaType: string;
    filename?: string | undefined;
    [more: string]: unknown;
  })[];
  /** The person or program that sent it. */
  by?: string | undefined;
}

/** The events by their type. */
export interface EventsByType {
  readonly harness_start: HarnessStartEvent;
  readonly harness_end: HarnessEndEvent;
  readonly model_context: ModelContextEvent;
  readonly step_start: StepStartEvent;
  readonly session: SessionEvent;
  readonly user: UserEvent;
  readonly text: TextEvent;
  readonly reasoning: ReasoningEvent;
  readonly tool_input_delta: ToolInputDeltaEvent;
  readonly tool_call: ToolCallEvent;
  readonly tool_start: ToolStartEvent;
  readonly tool_progress: ToolProgressEvent;
  readonly tool_result: ToolResultEvent;
  readonly repl_input: ReplInputEvent;
  readonly repl_progress: ReplProgressEvent;
  readonly repl_output: ReplOutputEvent;
  readonly relay: RelayEvent;
  readonly relay_resolved: RelayResolvedEvent;
  readonly grant_revoked: GrantRevokedEvent;
  readonly plan_status: PlanStatusEvent;
  readonly tasks: TasksEvent;
  readonly summary: SummaryEvent;
  readonly usage: UsageEvent;
  readonly error: ErrorEvent;
  readonly warning: WarningEvent;
  readonly file_registered: FileRegisteredEvent;
  readonly unknown: UnknownEvent;
  readonly custom: CustomEvent;
  readonly mode_changed: ModeChangedEvent;
  readonly model_changed: ModelChangedEvent;
  readonly folder_changed: FolderChangedEvent;
  readonly branch_selected: BranchSelectedEvent;
  readonly collapsed: CollapsedEvent;
  readonly run_requested: RunRequestedEvent;
  readonly abort_requested: AbortRequestedEvent;
  readonly message_queued: MessageQueuedEvent;
  readonly message_changed: MessageChangedEvent;
  readonly message_withdrawn: MessageWithdrawnEvent;
  readonly steer_requested: SteerRequestedEvent;
}
