import { isDeepStrictEqual } from 'node:util';
import { toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import type { CodexItems } from '../items.ts';
import { type Answers, answerText, type Question } from '../../../channels/request-book.ts';
import { type PersonRequest, isApproval, readWords } from './person-request.ts';

/** Reads a request of an MCP server, or the request to run one of its tools. */
export function readElicitation(params: WireRecord, items: CodexItems): PersonRequest | undefined {
  const meta = toRecord(params['_meta']);
  if (meta?.['codex_approval_kind'] === 'mcp_tool_call') return readToolApproval(params, meta, items);
  return readForm(params);
}

/** The request names the server and the arguments; the tool only in its sentence. */
function readToolApproval(params: WireRecord, meta: WireRecord, items: CodexItems): PersonRequest | undefined {
  const server = toText(params['serverName']);
  if (server === undefined) return undefined;
  const input = toRecord(meta['tool_params']) ?? {};
  const tool = /\btool "([^"]+)"/.exec(toText(params['message']) ?? '')?.[1] ?? '';
  const prefix = `mcp__${server}__`;
  const found =
    items.calls.findLast(
      call => call.name === `${prefix}${tool}` && !call.started && isDeepStrictEqual(call.input, meta['tool_params']),
    ) ??
    items.calls.findLast(call => call.name.startsWith(prefix) && !call.started && isDeepStrictEqual(call.input, input));
  const rawId = found?.rawId ?? `${prefix}${tool}`;
  const call = found?.call ?? items.call(rawId, { name: `${prefix}${tool}`, input });
  return {
    questions: [{ kind: 'permission', toolCallId: call.id, tool: call.name, input, canRevise: false }],
    reply: ([answer]) => action(isApproval(answer), {}),
    words: ([answer]) => readWords(answer, `the call of ${call.name}`),
    answered: ([answer]) => items.decided(rawId, isApproval(answer)),
  };
}

/** The fields of a form become questions; a form that has other fields than text, numbers and choices is declined. */
function readForm(params: WireRecord): PersonRequest | undefined {
  const message = toText(params['message']);
  if (message === undefined) return undefined;
  const fields = params['mode'] === 'form' ? readFields(toRecord(params['requestedSchema'])) : undefined;
  if (fields === undefined) return { questions: [], reply: () => action(false, {}), words: () => undefined };
  const asked = fields.length > 0 ? fields : [confirmation];
  return {
    questions: asked.map(
      ({ title, options }): Question => ({
        kind: 'question',
        question: title === '' ? message : `${message}\n${title}`,
        ...(options !== undefined && {
          options: options.map(label => ({ label })),
          selectionMode: 'single_select' as const,
        }),
      }),
    ),
    reply: answers => {
      const content = toContent(fields, answers);
      const isConfirmed = fields.length > 0 || answerText(answers[0]) === 'yes';
      return action(content !== undefined && isConfirmed, content ?? {});
    },
    words: () => undefined,
  };
}

interface Field {
  readonly name: string;
  readonly title: string;
  readonly type: unknown;
  readonly options?: readonly string[] | undefined;
}

const confirmation: Field = { name: '', title: '', type: 'boolean', options: ['yes', 'no'] };

function readFields(schema: WireRecord | undefined): Field[] | undefined {
  const fields = Object.entries(toRecord(schema?.['properties']) ?? {}).map(([name, value]): Field | undefined => {
    const property = toRecord(value);
    const type = property?.['type'];
    if (property === undefined || !['string', 'number', 'integer', 'boolean'].includes(String(type))) return undefined;
    const choices = toList(property['enum']).filter(choice => typeof choice === 'string');
    const options = type === 'boolean' ? ['yes', 'no'] : choices.length > 0 ? choices : undefined;
    return { name, title: toText(property['description']) ?? toText(property['title']) ?? name, type, options };
  });
  return fields.every(field => field !== undefined) ? fields : undefined;
}

/** The answers as the content of the form; undefined when one is missing or does not have its type. */
function toContent(fields: readonly Field[], answers: Answers): WireRecord | undefined {
  const content: Record<string, unknown> = {};
  for (const [index, { name, type }] of fields.entries()) {
    const text = answerText(answers[index]);
    if (text === undefined) return undefined;
    if (type === 'boolean') content[name] = text === 'yes' || text === 'true';
    else if (type === 'string') content[name] = text;
    else if (Number.isFinite(Number(text)) && text.trim() !== '') content[name] = Number(text);
    else return undefined;
  }
  return content;
}

function action(isAccepted: boolean, content: object): object {
  return { action: isAccepted ? 'accept' : 'decline', content: isAccepted ? content : null, _meta: null };
}
