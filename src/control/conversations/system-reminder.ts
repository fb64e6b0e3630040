import { parseJson } from '../../base/parse-json.ts';

/** A reminder to the model that no person wrote. */
export interface SystemReminder {
  readonly message: string;
  readonly reminderType?: string;
  readonly path?: string;
  readonly precedesMessageId?: string;
  readonly gapText?: string;
  readonly gapMs?: number;
  readonly timestamp?: string;
  readonly goalMaxTurns?: number;
  readonly judgeModelId?: string;
  /** Additional metadata. */
  readonly metadata?: Record<string, unknown>;
}

const names = {
  reminderType: 'type',
  path: 'path',
  precedesMessageId: 'precedes-message-id',
  gapText: 'gap-text',
  gapMs: 'gap-ms',
  timestamp: 'timestamp',
  goalMaxTurns: 'goal-max-turns',
  judgeModelId: 'judge-model-id',
  metadata: 'metadata',
} as const satisfies Record<Exclude<keyof SystemReminder, 'message'>, string>;

const numeric: ReadonlySet<string> = new Set(['gapMs', 'goalMaxTurns']);
const tag = /^<system-reminder((?: [a-z-]+="[^"]*")*)>\n?([\s\S]*?)\n?<\/system-reminder>$/;

type Role = 'user' | 'assistant' | 'system';

/** Formats a reminder as the text for the model; `role` is the role of its message, `user` by default. */
export function systemReminderText({ message, ...about }: SystemReminder, role: Role = 'user'): string {
  const attributes = Object.entries(about)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [
      names[key as keyof typeof names],
      typeof value === 'object' ? JSON.stringify(value) : value,
    ])
    .concat(role === 'user' ? [] : [['role', role]])
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`);
  return `<system-reminder${attributes.join('')}>\n${message}\n</system-reminder>`;
}

/** Parses a text that is a reminder as a whole; undefined for any other text. */
export function parseSystemReminder(text: string): SystemReminder | undefined {
  const [, attributes, message] = tag.exec(text.trim()) ?? [];
  if (attributes === undefined || message === undefined) return undefined;
  const reminder: Record<string, string | number> = { message };
  for (const [name, value] of attributesIn(attributes)) {
    const [key] = Object.entries(names).find(([, attribute]) => attribute === name) ?? [];
    if (key === 'metadata') Object.assign(reminder, metadataIn(value));
    else if (key !== undefined) reminder[key] = numeric.has(key) ? Number(value) : value;
  }
  return reminder as unknown as SystemReminder;
}

/** The role of a text: that of a reminder, else `user`. */
export function getRole(text: string): Role {
  const role = attributesIn(tag.exec(text.trim())?.[1] ?? '').find(([name]) => name === 'role')?.[1];
  return role === 'system' || role === 'assistant' ? role : 'user';
}

/** Puts metadata into the fields of a reminder; values without a field stay in `metadata`. */
export function withMetadata(
  reminder: Pick<SystemReminder, 'message' | 'reminderType'>,
  metadata: Readonly<Record<string, unknown>> = {},
): SystemReminder {
  const known: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(metadata)) {
    const fits = key in names && key !== 'reminderType' && typeof value === (numeric.has(key) ? 'number' : 'string');
    (fits ? known : rest)[key] = value;
  }
  return { ...known, ...reminder, ...(Object.keys(rest).length > 0 && { metadata: rest }) };
}

function attributesIn(attributes: string): [name: string, value: string][] {
  return [...attributes.matchAll(/ ([a-z-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescape(value)]);
}

function metadataIn(text: string): { metadata?: Record<string, unknown> } {
  const metadata = parseJson(text);
  return typeof metadata === 'object' && metadata !== null ? { metadata: { ...metadata } } : {};
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function unescape(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
