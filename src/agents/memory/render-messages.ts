import type { ToolOutput } from '../../events/tools.ts';
import type { InputSpan } from '../../projections/model-input/input-span.ts';
import type { AssistantPart, Message, ToolResultPart } from '../../projections/message.ts';
import { countTokens } from '../model/tokens/tokens.ts';

/** Returns the messages of spans as text for an observer, with their authors and, if known, their times. */
export function renderSpans(spans: readonly Pick<InputSpan, 'messages' | 'ts'>[]): string {
  return spans
    .flatMap(({ messages, ts }) => messages.map(message => renderMessage(message, ts)))
    .filter(text => text !== '')
    .join('\n\n');
}

/** Cuts a text into pieces of about so many tokens, at the ends of lines where that is possible. Nothing is dropped. */
export async function cutIntoBatches(text: string, batchTokens: number): Promise<string[]> {
  const tokens = await countTokens([{ role: 'user', content: text }]);
  const count = Math.ceil(tokens / batchTokens);
  if (count <= 1) return [text];
  const length = Math.ceil(text.length / count);
  const batches: string[] = [];
  for (let from = 0; from < text.length; ) {
    const most = Math.min(text.length, from + length);
    const line = text.lastIndexOf('\n', most);
    const to = most < text.length && line > from + length / 2 ? line + 1 : wholeEnd(text, most);
    batches.push(text.slice(from, to));
    from = to;
  }
  return batches;
}

/** Returns an end that splits no character. */
function wholeEnd(text: string, end: number): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end;
}

function renderMessage(message: Message, ts: string | undefined): string {
  const time = ts === undefined ? '' : ` (${ts.slice(0, 16).replace('T', ' ')})`;
  const text = toText(message);
  return text === '' ? '' : `${titles[message.role]}${time}:\n${text}`;
}

const titles = { system: 'System', user: 'User', assistant: 'Assistant', tool: 'Tool results' } as const;

function toText({ content }: Message): string {
  if (typeof content === 'string') return content;
  return content
    .map(part => (part.type === 'image' || part.type === 'file' ? `[${part.type}]` : partText(part)))
    .filter(text => text !== '')
    .join('\n');
}

function partText(part: AssistantPart | ToolResultPart | { readonly type: 'text'; readonly text: string }): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'reasoning') return '';
  if (part.type === 'tool_call') return `[calls ${part.name}: ${JSON.stringify(part.input)}]`;
  return `[result of ${part.name}: ${outputText(part.output)}]`;
}

function outputText(output: ToolOutput): string {
  if ('error' in output) return `error: ${output.error}`;
  return 'status' in output ? `denied: ${output.reason}` : valueText(output.context);
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
