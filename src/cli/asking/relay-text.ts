import type { EventOf } from '../../events/index.ts';
import { visibleText } from '../../terminal/screen/terminal-text.ts';

type Relay = EventOf<'relay'>;

/** What a person reads before answering: what would happen, exactly, and why. */
export function relayText(relay: Relay): string {
  return visibleText(linesOf(relay).join('\n'));
}

function linesOf(relay: Relay): string[] {
  switch (relay.relayKind) {
    case 'question':
      return [`? ${relay.question}`, ...(relay.options ?? []).map(optionLine)];
    case 'plan':
      return [planHeading(relay), indented(relay.plan)];
    case 'permission':
      return permissionLines(relay);
    case 'access':
      return ['? Allow this access?', indented(inputText(relay.params))];
    case 'suspension':
      return [`? ${relay.tool} waits for you`, indented(inputText(relay.payload ?? relay.params ?? {}))];
    default:
      return relay satisfies never;
  }
}

function optionLine({ label, description }: { label: string; description?: string | undefined }, index: number) {
  return `  ${index + 1}. ${label}${description ? `: ${description}` : ''}`;
}

/** The title, unless the plan begins with it. */
function planHeading({ title, plan }: Extract<Relay, { relayKind: 'plan' }>): string {
  const [first = ''] = plan.trimStart().split('\n', 1);
  const isRepeated = title === undefined || first.replace(/^#+\s*/, '').trim() === title.trim();
  return isRepeated ? '? Approve this plan?' : `? Approve this plan? ${title}`;
}

function permissionLines({ tool, command, diff, params, reason }: Extract<Relay, { relayKind: 'permission' }>) {
  const why = reason === undefined ? [] : [`  because: ${reason}`];
  if (command !== undefined) return [`? Run this command? (${tool})`, ...commandLines(command), ...why];
  if (diff !== undefined) return [`? Make this change? (${tool})`, indented(diff), ...why];
  return [...callLines(tool, params), ...why];
}

/** The call of a tool: a command of ours as it runs, an edit of ours as a diff, any other with its input. */
function callLines(tool: string, params: unknown): string[] {
  const { command, path, old_string: before, new_string: after, ...rest } = (params ?? {}) as Record<string, unknown>;
  const others = Object.keys(rest).length === 0 ? [] : [indented(inputText(rest))];
  if (tool === 'bash' && typeof command === 'string' && path === undefined && before === undefined)
    return [`? Run this command? (${tool})`, ...commandLines(command), ...others];
  if (tool === 'edit' && typeof path === 'string' && typeof before === 'string' && typeof after === 'string')
    return [`? Make this change? (${tool} ${path})`, ...changed('-', before), ...changed('+', after), ...others];
  return [`? Use ${tool}?`, indented(inputText(params))];
}

function changed(mark: '-' | '+', text: string): string[] {
  return text === '' ? [] : text.split('\n').map(line => `  ${mark}${line}`);
}

function commandLines(command: string): string[] {
  return command
    .trimEnd()
    .split('\n')
    .map((line, index) => `  ${index === 0 ? '$' : '>'} ${line}`);
}

/** An input with each field on its own lines, so that a text of several lines is read as it will be used. */
function inputText(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return shown(input);
  const fields = Object.entries(input).map(([name, value]) => {
    const text = shown(value);
    return text.includes('\n') ? `${name}:\n${indented(text)}` : `${name}: ${text}`;
  });
  return fields.length === 0 ? '(no input)' : fields.join('\n');
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '');
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map(line => `  ${line}`)
    .join('\n');
}
