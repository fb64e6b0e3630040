import {
  askUser,
  askUserDescription,
  askUserInput,
  type BuiltinResult,
  type Question,
} from '../../../agents/tools/people/ask-user.ts';
import { untilAnswered } from './answer.ts';
import type { HarnessTool } from './harness-tool.ts';
import { harnessContextOf, type HarnessQuestionAnswer } from './request-context.ts';

/** `ask_user` as a standalone tool: asks through the harness of its request context. */
export const askUserTool: HarnessTool<Question, BuiltinResult> & { readonly id: 'ask_user' } = {
  id: 'ask_user',
  description: askUserDescription,
  inputSchema: askUserInput,
  category: 'conversation',
  execute: (question, context) =>
    askUser(question, asked => {
      const harness = harnessContextOf(context);
      const { registerQuestion, emitEvent, abortSignal } = harness ?? {};
      if (registerQuestion === undefined || emitEvent === undefined) return undefined;
      const questionId = `q_${++count}_${Date.now()}`;
      return untilAnswered<HarnessQuestionAnswer>(abortSignal, resolve => {
        registerQuestion.call(harness, { questionId, resolve });
        emitEvent.call(harness, { type: 'ask_question', questionId, ...asked });
      });
    }),
};

let count = 0;
