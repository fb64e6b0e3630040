import * as z from 'zod';

/** An active run, as the HTTP API returns it. */
const runningRun = z.looseObject({ runId: z.string() });

/** A thread as the HTTP API returns it. */
export const threadInfo = z.looseObject({
  id: z.string(),
  resourceId: z.string(),
  title: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  seq: z.number(),
  importedSeq: z.number().optional().describe('the newest of its events that were imported: they have no effect'),
  runs: z.array(runningRun),
  status: z
    .enum(['interrupted', 'waiting', 'running', 'queued', 'failed', 'done', 'idle'])
    .optional()
    .describe(
      '`interrupted` when no process owns its run, `waiting` for a person, `running`, `queued` when nothing runs and messages wait, or how its last run ended; `idle` when it had none',
    ),
  problem: z.string().optional().describe('why nothing happens though something is open, and what to do'),
  waiting: z.array(z.string()).optional().describe('the ids of the relays that wait for a person'),
  isPinned: z.boolean().optional(),
  isArchived: z.boolean().optional(),
  agentId: z.string().optional().describe('the agent of its last run; only in lists'),
  cost: z.number().optional().describe('in US dollars, of the calls that reported it; only in lists'),
  outcome: z.string().optional().describe('why its last run ended; only in lists'),
  folder: z.string().optional().describe('the directory that its newest run works in; only in lists'),
  project: z.string().optional().describe('the folder that its `folder` is a worktree of; only in lists'),
  hasCode: z.boolean().optional().describe('whether an agent ran code in a REPL; only in lists'),
  mode: z.string().optional().describe('the mode of its next turn, when one was chosen'),
});

export type ThreadInfo = z.infer<typeof threadInfo>;

const contentPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image'), data: z.string(), mediaType: z.string() }),
  z.strictObject({ type: z.literal('file'), data: z.string(), mediaType: z.string(), filename: z.string().optional() }),
]);

/** The body of `PATCH /api/threads/:id`. */
export const threadChangeBody = z
  .strictObject({
    title: z.string().min(1).max(500).optional(),
    isPinned: z.boolean().optional().describe('whether lists show it first'),
    isArchived: z.boolean().optional().describe('whether lists hide it'),
  })
  .refine(change => Object.values(change).some(value => value !== undefined), {
    error: 'expected a title, `isPinned` or `isArchived`',
  });

export type ThreadChangeBody = z.infer<typeof threadChangeBody>;

/** A frame of `GET /api/changes`: the first lists active threads, later ones list changes. */
export const threadNews = z.looseObject({
  active: z.array(threadInfo).optional().describe('in the first frame: the threads in which something runs or waits'),
  changed: z.array(threadInfo).optional().describe('threads that are new or changed'),
  deleted: z.array(z.string()).optional().describe('the ids of threads that are gone'),
});

export type ThreadNews = z.infer<typeof threadNews>;

/** The body of `POST /api/threads`. */
export const newThreadBody = z.strictObject({
  id: z
    .string()
    .regex(/^[\w.:-]{1,200}$/, { error: 'expected 1 to 200 letters, digits, `_`, `-`, `.` and `:`' })
    .optional()
    .describe('chosen by the sender: a thread with this id that exists is the answer, as it is'),
  title: z.string().min(1).max(500).optional(),
  resourceId: z.string().min(1).max(200).optional(),
  folder: z.string().min(1).max(4096).optional().describe('the open project that it works in'),
});

export type NewThreadBody = z.infer<typeof newThreadBody>;

/** The body of `POST /api/threads/:id/messages`. */
export const messageBody = z.strictObject({
  content: z.union([z.string().min(1), z.array(contentPart).min(1)], {
    error: 'expected text that is not empty, or a list of text, image and file parts',
  }),
  id: z
    .string()
    .regex(/^[\x20-\x7e]{1,200}$/, { error: 'expected 1 to 200 printable ASCII characters' })
    .optional()
    .describe(
      'chosen by the sender: a message with the id of an earlier one of its thread is that message, sent again',
    ),
  agent: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  mode: z.string().min(1).optional().describe('the mode of the agent, which the thread keeps'),
  edits: z.string().min(1).optional().describe('the user message this one takes the place of'),
  delivery: z
    .enum(['steer', 'follow_up'])
    .optional()
    .describe('while a run is under way: goes into it (`steer`, the default), or waits until it ended (`follow_up`)'),
});

export type MessageBody = z.infer<typeof messageBody>;

/** The body of `POST /api/threads/:id/branches`. */
export const branchBody = z.strictObject({
  seq: z.int().nonnegative().optional().describe('the last event to share; the newest when absent'),
  message: z.string().min(1).max(500).optional().describe('the last message to share, instead of `seq`'),
  title: z.string().min(1).max(500).optional(),
  send: messageBody
    .pick({ content: true, agent: true, model: true, mode: true })
    .extend({ worktree: z.boolean().optional().describe('whether it works in a git worktree of its own') })
    .optional()
    .describe('the message that continues the branch, with any agent'),
});

export type BranchBody = z.infer<typeof branchBody>;

/** The body of `POST /api/threads/:id/retries`. */
export const retryBody = z.strictObject({
  messageId: z.string().min(1),
  agent: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
});

export type RetryBody = z.infer<typeof retryBody>;

/** The body of `POST /api/threads/:id/selection`. */
export const selectionBody = z.strictObject({ nodeId: z.string().min(1) });

export type SelectionBody = z.infer<typeof selectionBody>;

/** The response of `POST /api/threads/:id/messages`. */
export const messageReceipt = z.looseObject({
  runId: z.string().describe('the run that answers; of a message that waits, the run it waits for'),
  steered: z.boolean().optional(),
  queued: z.boolean().optional().describe('whether the message waits until the run ended'),
});

export type MessageReceipt = z.infer<typeof messageReceipt>;

/** A message that is queued until the active run has ended. */
export const queuedMessage = z.looseObject({
  id: z.string(),
  content: messageBody.shape.content,
  agent: z.string().optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  by: z.string().optional(),
  problem: z.string().optional().describe('why it is not delivered here though nothing runs, and what delivers it'),
});

export type QueuedMessage = z.infer<typeof queuedMessage>;

/** The body of `PATCH /api/threads/:id/queue/:messageId`. */
export const queuedBody = z
  .strictObject({
    content: messageBody.shape.content.optional(),
    before: z
      .string()
      .min(1)
      .nullable()
      .optional()
      .describe('the waiting message that it is to be delivered before; `null` to deliver it last'),
    isHeld: z
      .boolean()
      .optional()
      .describe(
        'while it is held, for at most a minute, neither it nor those after it are delivered; a new content ends it',
      ),
  })
  .refine(change => Object.values(change).some(value => value !== undefined), {
    error: 'expected a content, `before` or `isHeld`',
  });

export type QueuedBody = z.infer<typeof queuedBody>;

/** The body of `POST /api/threads/:id/relays/:relayId`. */
export const relayBody = z.strictObject({
  outcome: z.enum(['approve', 'reject', 'revise', 'answer']),
  feedback: z.string().optional(),
  input: z.unknown().optional(),
  answer: z.union([z.string(), z.array(z.string())], { error: 'expected text or a list of texts' }).optional(),
  remember: z.enum(['once', 'thread', 'category']).optional(),
});

export type RelayBody = z.infer<typeof relayBody>;

/** A pending relay, as the inbox of all threads lists it. */
export const relayInfo = z.looseObject({
  id: z.string(),
  threadId: z.string(),
  runId: z.string(),
  since: z.string().optional(),
  title: z.string().optional().describe('the title of the thread'),
  agentId: z.string().optional().describe('the agent that asks'),
  relay: z.looseObject({ type: z.literal('relay'), relayKind: z.string() }),
});

export type RelayInfo = z.infer<typeof relayInfo>;

/** A settled relay: the decision with its author and time, or why it was closed without one. */
export const decisionInfo = relayInfo.extend({
  status: z.enum(['answered', 'closed']),
  reason: z.string().optional().describe('of a closed one: `expired`, `cancelled` or `run_ended`'),
  answer: z
    .looseObject({
      outcome: z.string(),
      ts: z.string().optional(),
      by: z.string().optional().describe('the name of the token that answered'),
      feedback: z.string().optional(),
    })
    .optional(),
});

export type DecisionInfo = z.infer<typeof decisionInfo>;

/** The status of a run, as the HTTP API returns it. */
export const runInfo = z.looseObject({
  runId: z.string(),
  status: z.string().describe('`running`, `waiting` while a person is asked, or why it ended'),
  agentId: z.string().optional(),
  model: z.string().optional(),
  parentId: z.string().optional(),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
});

export type RunInfo = z.infer<typeof runInfo>;

/** One line an external program printed: as text, or in base64 where it is not UTF-8. */
export const rawLineInfo = z.looseObject({
  n: z.number(),
  ts: z.string(),
  stream: z.enum(['stdout', 'stderr']),
  line: z.string().optional(),
  base64: z.string().optional(),
});

export type RawLineInfo = z.infer<typeof rawLineInfo>;

/** A file that an agent registered in a thread. */
export const fileInfo = z.looseObject({
  id: z.string(),
  runId: z.string(),
  path: z.string(),
  mediaType: z.string().optional(),
  size: z.number().optional(),
});

export type FileInfo = z.infer<typeof fileInfo>;

const usageTotals = z.looseObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  modelCalls: z.number(),
  toolCalls: z.number(),
  cost: z.number().optional().describe('in US dollars, of the calls that reported it'),
});

/** The usage of a thread: in total, and by run, agent, model and tool. */
export const usageInfo = z.looseObject({
  all: usageTotals,
  runs: z.array(usageTotals.extend({ runId: z.string() })),
  agents: z.array(usageTotals.extend({ agentId: z.string() })),
  models: z.array(usageTotals.extend({ modelId: z.string() })),
  tools: z
    .array(
      z.looseObject({
        tool: z.string(),
        toolCalls: z.number(),
        failedCalls: z.number().describe('those that failed or were denied'),
        toolMs: z.number().describe('milliseconds in which it ran'),
      }),
    )
    .optional(),
});

export type UsageInfo = z.infer<typeof usageInfo>;

/** The usage over all threads for one day, agent, model, resource, thread or tool. */
export const usageTotalInfo = z.looseObject({
  resourceId: z.string().optional(),
  threadId: z.string().optional().describe('empty for calls that were counted without their thread'),
  tool: z.string().optional(),
  toolCalls: z.number().optional().describe('the calls of tools, when they are asked for by tool'),
  failedCalls: z.number().optional().describe('those that failed or were denied'),
  toolMs: z.number().optional().describe('milliseconds in which they ran'),
  day: z.string().optional(),
  agentId: z.string().optional(),
  modelId: z.string().optional(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  modelCalls: z.number(),
  cost: z.number().optional().describe('in US dollars, of the calls that reported it'),
});

export type UsageTotalInfo = z.infer<typeof usageTotalInfo>;

/** A page of the events of all threads. */
export const eventPageInfo = z.looseObject({
  events: z.array(
    z.looseObject({ threadId: z.string(), resourceId: z.string(), event: z.looseObject({ type: z.string() }) }),
  ),
  next: z.string().optional().describe('the cursor of the next page, when there may be more'),
  until: z.string().describe('the `since` of the next reading, which has what came meanwhile'),
});

/** A message or a title that has the words of a search. */
export const searchHitInfo = z.looseObject({
  threadId: z.string(),
  resourceId: z.string(),
  title: z.string().optional().describe('the title of the thread'),
  messageId: z.string().optional().describe('absent when the title has the words'),
  seq: z.number().optional(),
  snippet: z.string(),
});

/** One page of hits, the newest text first. */
export const searchInfo = z.looseObject({
  hits: z.array(searchHitInfo),
  next: z.string().optional().describe('`after` of the next page, when there may be more'),
  isComplete: z.boolean().describe('false while a log of an older version is indexed'),
});

export type SearchInfo = z.infer<typeof searchInfo>;

const anyEvent = z.looseObject({ type: z.string(), runId: z.string() });

/** A part of a thread that can be read by itself. */
export const windowInfo = z.looseObject({
  snapshot: z
    .looseObject({
      seq: z.number(),
      usage: z.looseObject({ inputTokens: z.number(), outputTokens: z.number() }),
      events: z.array(anyEvent),
      reporting: z.array(z.string()),
      gone: z.array(z.string()),
      isUncertain: z.boolean().optional(),
    })
    .optional()
    .describe('what a reading of the events begins with; absent when they begin with the first of the thread'),
  events: z.array(anyEvent.extend({ seq: z.number(), ts: z.string() })),
  firstSeq: z.number(),
  lastSeq: z.number(),
  hasEarlier: z.boolean(),
  hasLater: z.boolean(),
});

/** The shape of every error of the HTTP API (RFC 9457). */
export const problem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  detail: z.string(),
});

export type Problem = z.infer<typeof problem>;
