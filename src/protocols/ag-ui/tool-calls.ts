import { parseJson } from '../../base/parse-json.ts';
import { defined } from '../../base/defined.ts';
import type { FactOf } from '../request/fact.ts';
import type { OpenCall } from '../request/open.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import { resultMessageId, toArguments, toResultText } from './ag-ui-messages.ts';

const replaced = { singletree: { replaced: true } };
const notCalled = 'It was not called: the model stopped while it wrote the input.';

/** The tool calls of one stream: their arguments as they are written, and their results. */
export class ToolCalls {
  /** The arguments of calls that are being written, by call. */
  readonly #inputs = new Map<string, string>();
  /** The message of this step that its calls belong to. */
  parentMessageId: string | undefined;

  input({ key: toolCallId, toolName, delta }: FactOf<'input'>): AgUiEvent[] {
    const written = this.#inputs.get(toolCallId);
    this.#inputs.set(toolCallId, (written ?? '') + delta);
    const args: AgUiEvent = { type: 'TOOL_CALL_ARGS', toolCallId, delta };
    return written === undefined ? [this.#start(toolCallId, toolName), args] : [args];
  }

  /** Closes a complete call after sending the arguments that were not streamed yet. */
  call({ key: toolCallId, toolName, input, run }: OpenCall): AgUiEvent[] {
    const written = this.#inputs.get(toolCallId);
    this.#inputs.delete(toolCallId);
    const of = run.parent === undefined ? {} : { subagentRunId: run.runId };
    const args = toArguments(input);
    const begun =
      written === undefined ? [{ ...this.#start(toolCallId, toolName, run.parent !== undefined), ...of }] : [];
    const end: AgUiEvent = { type: 'TOOL_CALL_END', toolCallId, ...of };
    const rest = args.startsWith(written ?? '') ? args.slice(written?.length ?? 0) : '';
    if (rest !== '') return [...begun, { type: 'TOOL_CALL_ARGS', toolCallId, delta: rest, ...of }, end];
    // Sent arguments cannot be retracted, so metadata carries the arguments that differ from them.
    return written === args || isSameJson(written, args) ? [end] : [{ ...end, metadata: { singletree: { input } } }];
  }

  result({ call: { key: toolCallId, run }, output, abandoned }: FactOf<'result'>): AgUiEvent[] {
    const subagentRunId = run.parent && run.runId;
    return [
      {
        type: 'TOOL_CALL_RESULT',
        messageId: resultMessageId(toolCallId),
        toolCallId,
        role: 'tool',
        ...toResultText(output),
        ...(abandoned === true && { metadata: replaced }),
        ...defined({ subagentRunId }),
      },
    ];
  }

  /** Ends the calls whose input was never completed. */
  endInputs(): AgUiEvent[] {
    const ended = [...this.#inputs.keys()].flatMap((toolCallId): AgUiEvent[] => {
      const messageId = resultMessageId(toolCallId);
      const result = { messageId, toolCallId, content: notCalled, role: 'tool', metadata: replaced } as const;
      return [
        { type: 'TOOL_CALL_END', toolCallId },
        { type: 'TOOL_CALL_RESULT', ...result },
      ];
    });
    this.#inputs.clear();
    return ended;
  }

  #start(toolCallId: string, toolCallName: string, isOfAgent = false): AgUiEvent {
    const parent = isOfAgent ? {} : defined({ parentMessageId: this.parentMessageId });
    return { type: 'TOOL_CALL_START', toolCallId, toolCallName, ...parent };
  }
}

/** Whether two texts are the same JSON, apart from white space. */
function isSameJson(written: string | undefined, args: string): boolean {
  return JSON.stringify(parseJson(written ?? '')) === args;
}
