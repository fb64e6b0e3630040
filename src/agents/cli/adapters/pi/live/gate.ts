import { questionTool } from '../reader.ts';

/** The name of the extension in the folder of the session. */
export const gateFile = 'singletree-gate.ts';

/** The titles of the dialogs that the extension opens, and the key of the status with which it reports that it runs. */
export const dialogs = { permission: 'singletree:permission', question: 'singletree:question' } as const;
export const statusKey = 'singletree';

/** The status that the extension reports. */
export function gateStatus(asks: boolean): string {
  return asks ? 'asks before every call' : 'asks nothing';
}

/**
 * Returns the extension of Pi that makes it ask: it blocks every call until the dialog about it is answered, lets the
 * model ask questions, and reports at its start that it runs. A dialog that is cancelled or not understood blocks the
 * call.
 */
export function gateSource(asks: boolean): string {
  return `// Written by Singletree for one session: asks before every tool call, and lets the model ask questions.
const asks = ${asks};

function parsed(value) {
  try {
    const answer = JSON.parse(value);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return {}; // An answer that is none allows nothing.
  }
}

function replace(input, revised) {
  for (const name of Object.keys(input)) delete input[name];
  Object.assign(input, revised);
}

export default function gate(pi) {
  pi.on('session_start', (_event, ctx) => {
    ctx.ui.setStatus(${JSON.stringify(statusKey)}, ${JSON.stringify(gateStatus(asks))});
  });

  if (asks)
    pi.on('tool_call', async (event, ctx) => {
      if (event.toolName === ${JSON.stringify(questionTool)}) return undefined;
      const request = { toolCallId: event.toolCallId, tool: event.toolName, input: event.input };
      const answer = parsed(await ctx.ui.editor(${JSON.stringify(dialogs.permission)}, JSON.stringify(request)));
      if (answer.decision !== 'approve')
        return { block: true, reason: answer.reason || 'The user rejected this call. It did not run.' };
      if (typeof answer.input === 'object' && answer.input !== null) replace(event.input, answer.input);
      return undefined;
    });

  pi.registerTool({
    name: ${JSON.stringify(questionTool)},
    label: 'Ask the user',
    description: 'Ask the user a question and wait for the answer. Use it when you cannot decide without the user.',
    parameters: {
      type: 'object',
      properties: {
        question: { type: 'string', description: 'The question' },
        options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from' },
        multiple: { type: 'boolean', description: 'Whether several answers may be chosen' },
      },
      required: ['question'],
    },
    async execute(toolCallId, params, _signal, _onUpdate, ctx) {
      const request = { toolCallId, ...params };
      const answer = parsed(await ctx.ui.editor(${JSON.stringify(dialogs.question)}, JSON.stringify(request)));
      const text = Array.isArray(answer.answer) ? answer.answer.join(', ') : answer.answer;
      const declined = 'The user did not answer.' + (answer.reason ? ' ' + answer.reason : '');
      return { content: [{ type: 'text', text: text || declined }], details: {} };
    },
  });
}
`;
}
