import type { SystemReminder } from '../harness-message.ts';

const names = {
  reminderType: 'type',
  path: 'path',
  precedesMessageId: 'precedes-message-id',
  gapText: 'gap-text',
  gapMs: 'gap-ms',
  timestamp: 'timestamp',
  goalMaxTurns: 'goal-max-turns',
  judgeModelId: 'judge-model-id',
} as const satisfies Record<Exclude<keyof SystemReminder, 'message'>, string>;

const numeric: ReadonlySet<string> = new Set(['gapMs', 'goalMaxTurns']);
const tag = /^<system-reminder((?: [a-z-]+="[^"]*")*)>\n?([\s\S]*?)\n?<\/system-reminder>$/;

/** A reminder as the text a model is sent. */
export function systemReminderText({ message, ...about }: SystemReminder): string {
  const attributes = Object.entries(about)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${names[key as keyof typeof names]}="${escape(String(value))}"`);
  return `<system-reminder${attributes.join('')}>\n${message}\n</system-reminder>`;
}

/** The reminder that a text is as a whole; undefined when it is a person's own words. */
export function parseSystemReminder(text: string): SystemReminder | undefined {
  const [, attributes, message] = tag.exec(text.trim()) ?? [];
  if (attributes === undefined || message === undefined) return undefined;
  const reminder: Record<string, string | number> = { message };
  for (const [, name, value] of attributes.matchAll(/ ([a-z-]+)="([^"]*)"/g)) {
    const [key] = Object.entries(names).find(([, attribute]) => attribute === name) ?? [];
    if (key !== undefined && value !== undefined) reminder[key] = numeric.has(key) ? Number(value) : unescape(value);
  }
  return reminder as unknown as SystemReminder;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function unescape(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
