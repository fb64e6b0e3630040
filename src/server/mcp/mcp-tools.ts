import type { ToolAnnotations } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { RelayBody } from '../../protocols/http-api.ts';
import type { McpGrant } from './mcp-access.ts';

/** The definition of a tool that clients see. */
export interface ToolDefinition {
  /** The description for the model. */
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** Without this grant the tool is not offered. */
  readonly needs?: McpGrant;
}

const readOnly = { readOnlyHint: true, openWorldHint: false };
const acts = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
const mostSeq = Number.MAX_SAFE_INTEGER - 1;

const threadId = z.string().min(1).max(200).describe('the id of a thread');
const runId = z.string().min(1).max(200).describe('the id of a run of the thread, as agent_run returns it');
const prompt = z.string().min(1).max(1_000_000);
const wait = z
  .int()
  .min(0)
  .max(600)
  .optional()
  .describe('how many seconds to wait for the end, 50 when absent; then `running` is returned with the ids');
const outcome = z.enum(['approve', 'reject', 'revise', 'answer'] satisfies RelayBody['outcome'][]);

const listedThread = z.object({
  threadId: z.string(),
  title: z.string().optional(),
  agent: z.string().optional(),
  folder: z.string().optional(),
  updatedAt: z.string(),
  state: z.string().describe('running, waiting for a person, queued, interrupted, done, failed or idle'),
});

/** A relay that waits for a person. */
const pendingRelay = z.object({
  relayId: z.string(),
  threadId: z.string(),
  runId: z.string(),
  title: z.string().optional(),
  agent: z.string().optional(),
  kind: z.string(),
  question: z.string(),
  answers: z.array(z.string()).describe('the possible outcomes'),
  since: z.string().optional(),
});

/** Where a run stands. */
const runOutput = z.object({
  threadId: z.string(),
  runId: z.string(),
  status: z.enum(['running', 'waiting', 'finished']),
  outcome: z.string().optional().describe('how it ended: complete, error, aborted, interrupted or another reason'),
  text: z.string().optional().describe('its answer'),
  error: z.string().optional(),
  pending: z.array(pendingRelay).optional().describe('what it asks a person, who answers in the inbox'),
});

/** The tools, by their names. */
export const mcpTools = {
  thread_list: {
    description:
      'List conversations with AI agents, newest first, with their title, agent, folder and state. Use thread_search to find one by what was said.',
    input: z.strictObject({
      query: z.string().max(200).optional().describe('words that are in the title'),
      agent: z.string().max(200).optional().describe('only threads whose newest run is of this agent'),
      folder: z.string().max(4096).optional().describe('only threads that were started in this folder'),
      limit: z.int().min(1).max(100).optional().describe('20 when absent'),
      cursor: z.string().max(1000).optional().describe('`next` of the page before'),
    }),
    output: z.object({ threads: z.array(listedThread), next: z.string().optional() }),
    annotations: readOnly,
  },
  thread_search: {
    description:
      'Find messages and titles of conversations that have all of these words, newest first. Read a hit with thread_read, from its seq.',
    input: z.strictObject({
      query: z.string().min(1).max(500).describe('words; a text is found when it has all of them'),
      limit: z.int().min(1).max(50).optional().describe('10 when absent'),
    }),
    output: z.object({
      hits: z.array(
        z.object({
          threadId: z.string(),
          title: z.string().optional(),
          seq: z.number().optional().describe('where the text is; absent when the title has the words'),
          ts: z.string().optional(),
          agent: z.string().optional(),
          text: z.string().describe('a piece of the text around the words'),
        }),
      ),
      isComplete: z.boolean().describe('false when a part of the log was not searched'),
    }),
    annotations: readOnly,
  },
  thread_read: {
    description:
      'Read a conversation: its end, or from a seq on. As Markdown (messages, calls and their results), or as the events of its log. `next` and `previous` are the `from` of the pages around it.',
    input: z.strictObject({
      threadId,
      from: z.int().min(1).max(mostSeq).optional().describe('the seq to begin with; the end of the thread when absent'),
      limit: z.int().min(1).max(1000).optional().describe('how many events at most, 200 when absent'),
      format: z.enum(['markdown', 'events']).optional().describe('markdown when absent'),
    }),
    output: z.object({
      threadId: z.string(),
      title: z.string().optional(),
      text: z.string(),
      firstSeq: z.number(),
      lastSeq: z.number(),
      next: z.number().optional(),
      previous: z.number().optional(),
    }),
    annotations: readOnly,
  },
  agent_list: {
    description: 'List the agents that agent_run can run, with their modes and models.',
    input: z.strictObject({}),
    output: z.object({
      agents: z.array(
        z.object({
          agent: z.string(),
          name: z.string(),
          description: z.string().optional(),
          modes: z.array(z.string()).optional(),
          models: z.array(z.string()).optional(),
        }),
      ),
    }),
    annotations: readOnly,
    needs: 'run',
  },
  agent_run: {
    description:
      'Run an agent on a prompt, in a new thread or as the next turn of one. Returns its answer; `waiting` with what it asks a person; or `running` with the ids for run_wait when it takes longer.',
    input: z.strictObject({
      agent: z.string().min(1).max(200).describe('one of agent_list'),
      prompt,
      threadId: threadId.optional().describe('the thread to continue; a new one when absent'),
      mode: z.string().min(1).max(200).optional().describe('a mode of the agent'),
      model: z.string().min(1).max(200).optional().describe('a model of the agent'),
      wait,
    }),
    output: runOutput,
    annotations: acts,
    needs: 'run',
  },
  run_status: {
    description: 'Show where a run stands: running, waiting for a person, or finished with its answer.',
    input: z.strictObject({ threadId, runId }),
    output: runOutput,
    annotations: readOnly,
  },
  run_wait: {
    description: 'Wait until a run has ended or asks a person something, then show where it stands.',
    input: z.strictObject({ threadId, runId, wait }),
    output: runOutput,
    annotations: readOnly,
  },
  run_stop: {
    description: 'Stop a run and everything it started.',
    input: z.strictObject({ threadId, runId }),
    output: runOutput,
    annotations: acts,
    needs: 'run',
  },
  run_send: {
    description:
      'Send a message to a thread: into its run, or after it; when nothing runs it begins the next turn of its agent.',
    input: z.strictObject({
      threadId,
      message: prompt,
      delivery: z
        .enum(['steer', 'follow_up'])
        .optional()
        .describe('during a run: into it at its next step, the default, or after its end'),
    }),
    output: z.object({
      threadId: z.string(),
      runId: z.string(),
      steered: z.boolean().optional(),
      queued: z.boolean().optional(),
    }),
    annotations: acts,
    needs: 'run',
  },
  inbox_list: {
    description: 'List what agents ask a person and wait for: permissions, questions and plans, oldest first.',
    input: z.strictObject({}),
    output: z.object({ relays: z.array(pendingRelay) }),
    annotations: readOnly,
  },
  inbox_answer: {
    description:
      'Answer what an agent asks; the first answer counts. Without `outcome` the person at your client is asked. You cannot decide about your own run, or one that you started.',
    input: z.strictObject({
      relayId: z.string().min(1).max(200).describe('one of inbox_list'),
      outcome: outcome.optional().describe('one of its answers; the person at your client is asked when absent'),
      feedback: z.string().max(10_000).optional().describe('a reason, for the agent'),
      input: z.unknown().optional().describe('with revise: the changed input'),
      answer: z
        .union([z.string().max(100_000), z.array(z.string().max(10_000)).max(100)])
        .optional()
        .describe('with answer: the text, or the chosen options'),
    }),
    output: z.object({
      relayId: z.string(),
      threadId: z.string(),
      status: z.enum(['answered', 'declined']).describe('declined: the person did not answer, and it waits on'),
      outcome: z.string().optional(),
      by: z.string().optional(),
    }),
    annotations: { ...acts, openWorldHint: false },
    needs: 'answer',
  },
} satisfies Record<string, ToolDefinition>;

export type McpToolName = keyof typeof mcpTools;

/** The checked input of a tool. */
export type McpToolInput<Name extends McpToolName> = z.infer<(typeof mcpTools)[Name]['input']>;

/** A relay that waits for a person, as tools return it. */
export type PendingRelay = z.infer<typeof pendingRelay>;

/** Where a run stands, as tools return it. */
export type RunOutput = z.infer<typeof runOutput>;
