import * as z from 'zod';
import { errorText } from '../../../base/error-text.ts';
import type { RelayAnswer } from '../../contract/host.ts';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { Tool } from '../../contract/agent.ts';
import { conversationCategory } from '../../permissions/tool-request.ts';

/** The answer to a question: a text, or the labels of the choices. */
export type QuestionAnswer = string | readonly string[];

/** The result of most built-in tools: a text for the model, and whether it reports a failure. */
export interface BuiltinResult {
  readonly content: string;
  readonly isError: boolean;
}

export const askUserInput = z.object({
  question: z.string().min(1).describe('one clear question'),
  options: z
    .array(
      z.object({
        label: z.string().describe('the choice in a few words'),
        description: z.string().optional().describe('what it means'),
      }),
    )
    .optional()
    .describe('the choices; leave them out to let the user answer freely'),
  selectionMode: z
    .enum(['single_select', 'multi_select'])
    .optional()
    .describe('how many choices may be taken; only together with options, single_select when left out'),
});

export type Question = z.infer<typeof askUserInput>;
export interface AskedQuestion {
  readonly question: string;
  readonly options?: NonNullable<Question['options']>;
  readonly selectionMode?: 'single_select' | 'multi_select';
}

export const askUserDescription =
  'Asks the user a question and waits for the answer. Use it when something is unclear or a decision is theirs. ' +
  'Offer options for a choice; leave them out for a free answer.';

/** `ask_user` for the loop: asks through a relay, which has no timeout and survives a restart. */
export const askUserLoopTool: Tool = defineTool({
  name: 'ask_user',
  description: askUserDescription,
  input: askUserInput,
  category: conversationCategory,
  repeatable: true,
  timeoutMs: Number.POSITIVE_INFINITY,
  execute: async (question, context) => {
    const result = await askUser(question, async asked =>
      toAnswer(await context.ask({ relayKind: 'question', ...asked })),
    );
    return { context: result.content, result };
  },
});

/** Asks the question and returns the result; `ask` returns undefined when no user can answer. */
export async function askUser(
  { question, options, selectionMode }: Question,
  ask: (asked: AskedQuestion) => Promise<QuestionAnswer | undefined> | undefined,
): Promise<BuiltinResult> {
  const offered = options?.length ? { options, selectionMode: selectionMode ?? 'single_select' } : undefined;
  if (selectionMode !== undefined && offered === undefined)
    return { content: 'Failed to ask user: selectionMode requires options.', isError: true };
  try {
    const answer = await ask({ question, ...offered });
    if (answer === undefined) return { content: unasked(question, offered), isError: false };
    const words = typeof answer === 'string' ? answer : answer.join(', ');
    return { content: `User answered: ${words}`, isError: false };
  } catch (error) {
    return { content: `Failed to ask user: ${errorText(error)}`, isError: true };
  }
}

function toAnswer(answer: RelayAnswer | undefined): QuestionAnswer | undefined {
  if (answer === undefined) return undefined;
  if (answer.outcome === 'answer' && answer.answer !== undefined) return answer.answer;
  if (answer.outcome === 'expired') throw new Error('Nobody answered in time.');
  if (answer.outcome === 'cancelled') throw new Error('Aborted');
  throw new Error(answer.feedback ? `The user did not answer: ${answer.feedback}` : 'The user did not answer.');
}

function unasked(
  question: string,
  offered: { options: readonly { label: string }[]; selectionMode: string } | undefined,
) {
  if (offered === undefined) return `[Question for user]: ${question}`;
  const labels = offered.options.map(({ label }) => label).join(', ');
  return `[Question for user]: ${question}\nOptions: ${labels}\nSelection mode: ${offered.selectionMode}`;
}
