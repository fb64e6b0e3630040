import type { LiveAnswer } from '../../../contract/live-channel.ts';
import { answerReason, answerText, type Question } from '../../../channels/request-book.ts';
import { readChoices } from '../../../shared/read-choices.ts';
import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import type { PiReader } from '../reader.ts';
import { dialogs } from './gate.ts';
import { defined } from '../../../../../base/defined.ts';
import { parseJson } from '../../../../../base/parse-json.ts';

/** A dialog that is understood: the question to the user and the response to the program. */
interface Asked {
  readonly question: Question;
  /** The fields of the response to an answer; undefined cancels the dialog. */
  readonly reply: (answer: LiveAnswer) => object | undefined;
  /** Registers that the program blocks the call of the dialog. */
  readonly decline?: () => void;
}

const dialogMethods: ReadonlySet<unknown> = new Set(['select', 'confirm', 'input', 'editor']);

/** Whether the program waits for an answer to this record. */
export function isDialog(record: WireRecord): boolean {
  return dialogMethods.has(record['method']);
}

/** Reads a request of our extension, or another extension's dialog as a question; undefined if not understood. */
export function readDialog(record: WireRecord, reader: PiReader): Asked | undefined {
  if (record['method'] === 'editor' && record['title'] === dialogs.permission)
    return readPermission(toRecord(parseJson(toText(record['prefill']) ?? '')), reader);
  if (record['method'] === 'editor' && record['title'] === dialogs.question)
    return readQuestion(toRecord(parseJson(toText(record['prefill']) ?? '')), reader);
  return readForeign(record);
}

function readPermission(request: WireRecord | undefined, reader: PiReader): Asked | undefined {
  const rawId = toText(request?.['toolCallId']);
  const tool = toText(request?.['tool']);
  const input = toRecord(request?.['input']);
  if (rawId === undefined || tool === undefined || input === undefined) return undefined;
  const call = reader.call(rawId, tool, input);
  const command = tool === 'bash' ? toText(input['command']) : undefined;
  const path = toText(input['path']);
  return {
    question: {
      kind: 'permission',
      toolCallId: call.id,
      tool,
      input,
      ...defined({ command }),
      ...(path !== undefined && { paths: [path] }),
      canRevise: true,
    },
    decline: () => reader.decided(rawId, false),
    reply: answer => {
      reader.decided(rawId, answer.outcome === 'approve');
      if (answer.outcome === 'approve') return value({ decision: 'approve', input: answer.input });
      const reason = answerReason(answer);
      return answer.outcome === 'cancelled' && reason === undefined ? undefined : value({ decision: 'reject', reason });
    },
  };
}

function readQuestion(request: WireRecord | undefined, reader: PiReader): Asked | undefined {
  const rawId = toText(request?.['toolCallId']);
  const question = toText(request?.['question']);
  if (request === undefined || rawId === undefined || question === undefined) return undefined;
  const { toolCallId: _id, ...input } = request;
  const options = readChoices(request['options']);
  const selectionMode = request['multiple'] === true ? ('multi_select' as const) : ('single_select' as const);
  return {
    question: {
      kind: 'question',
      toolCallId: reader.call(rawId, 'ask_user', input).id,
      question,
      ...(options.length > 0 && { options, selectionMode }),
    },
    reply: answer => {
      if (answer.outcome === 'answer') return value({ answer: answer.answer });
      return value({ reason: answer.outcome === 'approve' ? undefined : answer.feedback });
    },
  };
}

/** A dialog of another extension. */
function readForeign(record: WireRecord): Asked | undefined {
  const title = toText(record['title']);
  if (title === undefined) return undefined;
  const isConfirmation = record['method'] === 'confirm';
  const message = toText(record['message']);
  const options = isConfirmation ? [{ label: 'yes' }, { label: 'no' }] : readChoices(record['options']);
  return {
    question: {
      kind: 'question',
      question: message === undefined ? title : `${title}\n${message}`,
      ...(options.length > 0 && { options, selectionMode: 'single_select' as const }),
    },
    reply: answer => {
      const text = answerText(answer);
      if (text === undefined) return undefined;
      return isConfirmation ? { confirmed: text === 'yes' } : { value: text };
    },
  };
}

function value(answer: object): object {
  return { value: JSON.stringify(answer) };
}
