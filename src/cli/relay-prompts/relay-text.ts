import type { EventOf } from '../../events/index.ts';
import { changesOfDiff } from '../../projections/activity/index.ts';
import { pathFrom } from '../../terminal/rows/path-from.ts';
import { visibleText } from '../../events/terminal-text.ts';

type Relay = EventOf<'relay'>;

type Permission = Extract<Relay, { relayKind: 'permission' }>;

/** What a person reads before answering: what would happen, exactly, and why. Paths inside `cwd` are shown without it. */
export function relayText(relay: Relay, cwd = process.cwd()): string {
  return visibleText(linesOf(relay, cwd).join('\n'));
}

function linesOf(relay: Relay, cwd: string): string[] {
  switch (relay.relayKind) {
    case 'question':
      return [`? ${relay.question}`, ...(relay.options ?? []).map(optionLine)];
    case 'plan':
      return [planHeading(relay), indented(relay.plan)];
    case 'permission':
      return permissionLines(relay, cwd);
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

function permissionLines(relay: Permission, cwd: string): string[] {
  const { tool, command, diff, params, reason } = relay;
  const why = reason === undefined ? [] : [`  because: ${reason}`];
  if (command !== undefined) return [`? Run this command? (${tool})`, ...commandLines(command), ...why];
  if (diff !== undefined) return [...diffLines(tool, diff, cwd), ...why];
  return [...callLines(tool, params, cwd), ...why];
}

/** A diff; the name of its file is in the question when it is the only one. */
function diffLines(tool: string, diff: string, cwd: string): string[] {
  const [only, ...others] = changesOfDiff(diff);
  if (only === undefined || others.length > 0 || only.moveTo !== undefined)
    return [`? Make this change? (${tool})`, indented(diff)];
  const verb = { add: 'Write', update: 'Edit', delete: 'Delete' }[only.action];
  return [`? ${verb} ${pathFrom(cwd, only.path)}? (${tool})`, indented(only.patch ?? diff)];
}

/** The call of a tool: a command of ours as it runs, a change of a file as such, any other with its input. */
function callLines(tool: string, params: unknown, cwd: string): string[] {
  const input = (params ?? {}) as Record<string, unknown>;
  const rest = { ...input };
  const text = (...names: readonly string[]) => {
    const name = names.find(each => typeof input[each] === 'string');
    if (name !== undefined) delete rest[name];
    return name === undefined ? undefined : (input[name] as string);
  };
  const others = () => (Object.keys(rest).length === 0 ? [] : [indented(inputText(rest))]);
  const path = text('path', 'file_path', 'filePath');
  if (tool === 'bash' && path === undefined) {
    const command = text('command');
    if (command !== undefined) return [`? Run this command? (${tool})`, ...commandLines(command), ...others()];
  }
  const [before, after] = [
    text('old_string', 'oldString', 'old_str', 'oldText'),
    text('new_string', 'newString', 'new_str', 'newText'),
  ];
  if (path !== undefined && before !== undefined && after !== undefined)
    return [`? Edit ${pathFrom(cwd, path)}? (${tool})`, ...changed('-', before), ...changed('+', after), ...others()];
  const content = text('content', 'contents', 'file_text');
  if (path !== undefined && content !== undefined)
    return [`? Write ${pathFrom(cwd, path)}? (${tool})`, ...changed('+', content), ...others()];
  return [`? Use ${tool}?`, indented(inputText(params))];
}

function changed(mark: '-' | '+', text: string): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  return text === '' ? [] : lines.map(line => `  ${mark}${line}`);
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
