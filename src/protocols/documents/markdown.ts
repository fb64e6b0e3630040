import type { Token } from 'marked';
import { printableText, visibleLine } from '../../base/terminal-text.ts';
import type { ContentPart } from '../../events/content.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { lexMarkdown, withLineFeeds } from '../../projections/presentation/lex-markdown.ts';
import { presentAnswer, presentRelay } from '../../projections/presentation/present-relay.ts';
import { presentEnd } from '../../projections/presentation/wording.ts';
import { toNotice } from '../../projections/reading/notice.ts';
import type { WindowOfThread } from '../../projections/reading/ranges/thread-window.ts';
import { readPart } from '../../projections/reading/thread-reading.ts';
import type { RelayPart, ReplPart, ToolPart, ViewNode, ViewPart } from '../../projections/reading/view-node.ts';
import { describeCall, shorten } from './call-details.ts';
import { getAuthor, describeThread, minute, PlaybackTimes, readDocument } from './thread-facts.ts';
import type { ThreadDocument } from './thread-document.ts';

/**
 * Returns Markdown in which nothing is read as HTML: what could begin a tag or a comment outside of code is escaped.
 */
export function withoutTags(markdown: string): string {
  if (!markdown.includes('<')) return markdown;
  const text = withLineFeeds(markdown);
  const { blocks } = lexMarkdown(text, true);
  return escapeAround(
    text,
    blocks.map(({ token }) => token),
  );
}

/** Escapes a text but for the code among its tokens; a token whose text is not found as it is, is escaped whole. */
function escapeAround(raw: string, tokens: readonly Token[]): string {
  let [written, at] = ['', 0];
  for (const token of tokens) {
    const place = token.raw === '' ? -1 : raw.indexOf(token.raw, at);
    if (place < 0) continue;
    const inner = 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : getItems(token);
    const isCode = token.type === 'code' || token.type === 'codespan';
    written += escapeTags(raw.slice(at, place)) + (isCode ? token.raw : escapeAround(token.raw, inner));
    at = place + token.raw.length;
  }
  return written + escapeTags(raw.slice(at));
}

function getItems(token: Token): readonly Token[] {
  return token.type === 'list' ? (token['items'] as Token[]) : [];
}

function escapeTags(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, '&lt;');
}

/** Returns a text in a fence that is longer than any in it. */
export function fenceText(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Returns a text on one line as code. */
export function inlineCode(text: string): string {
  const ticks = '`'.repeat(longestTicks(text) + 1);
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${space}${text}${space}${ticks}`;
}

function longestTicks(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(ticks => ticks.length));
}

/** Returns the active branch of a thread as Markdown; long outputs are shortened, HTML in it is text. */
export function toMarkdown(document: ThreadDocument): string {
  const { title, facts } = describeThread(document);
  const head = [`# ${withoutTags(visibleLine(title))}`, `*${withoutTags(visibleLine(facts.join(' · ')))}*`];
  const messages = writeMessages(readDocument(document.events), document.events);
  return `${[...head, messages].filter(text => text !== '' && text !== '**').join('\n\n')}\n`;
}

/** Returns a part of a thread as Markdown: the messages of its active branch that the part has, without a head. */
export function toMarkdownPart(part: Pick<WindowOfThread, 'snapshot' | 'events'>): string {
  return writeMessages(readPart(part).nodes, part.events);
}

function writeMessages(nodes: readonly ViewNode[], events: readonly LoggedEvent[]): string {
  const times = new PlaybackTimes(events);
  const formatTime = (part: ViewPart) => minute(times.getTime(part) ?? '').slice(11);
  const messages = nodes.map(node => writeMessage(node, '##', formatTime));
  return messages.filter(text => text !== '').join('\n\n');
}

type TimeOf = (part: ViewPart) => string;

function writeMessage(node: ViewNode, level: string, timeOf: TimeOf): string {
  const [first] = node.parts;
  const time = first === undefined ? '' : timeOf(first);
  const head = [getAuthor(node), node.model ?? '', time].filter(text => text !== '').map(visibleLine);
  const end = presentEnd(node.status);
  const parts = node.parts.map(part => writePart(part, node, timeOf));
  const texts = [...parts, node.role === 'summary' ? withoutTags(node.text) : '', end === undefined ? '' : `*${end}*`];
  const shown = texts.filter(text => text !== '');
  return shown.length === 0 ? '' : [`${level} ${withoutTags(head.join(' · '))}`, ...shown].join('\n\n');
}

function writePart(part: ViewPart, node: ViewNode, timeOf: TimeOf): string {
  switch (part.kind) {
    case 'text':
      return withoutTags(printableText(part.text)).trim();
    case 'reasoning':
      return part.text.trim() === '' ? '' : quote(`*Thought:* ${withoutTags(printableText(part.text)).trim()}`);
    case 'user': {
      const text = writeContent(part.content);
      return node.role === 'user' ? text : quote(`**${withoutTags(visibleLine(part.by ?? 'User'))}:** ${text}`);
    }
    case 'tool':
      return writeCall(part, node, timeOf);
    case 'relay':
      return writeRelay(part, node);
    case 'repl':
      return writeExecution(part, timeOf);
    case 'run':
      return writeRuns(part.runs, timeOf);
    default: {
      const notice = toNotice(part.event);
      if (part.event.type === 'tasks') return part.event.tasks.map(writeTask).join('\n');
      return notice === undefined
        ? ''
        : `*${notice.level === 'info' ? '' : `${notice.level}: `}${withoutTags(visibleLine(notice.message))}*`;
    }
  }
}

function writeTask({ status, content }: { readonly status: string; readonly content: string }): string {
  return `- [${status === 'completed' ? 'x' : ' '}] ${withoutTags(visibleLine(content))}`;
}

function writeContent(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return withoutTags(printableText(content)).trim();
  const texts = content.map(part => {
    if (part.type === 'text') return withoutTags(printableText(part.text)).trim();
    return `*[${part.type}: ${withoutTags(visibleLine('filename' in part ? (part.filename ?? part.mediaType) : part.mediaType))}]*`;
  });
  return texts.join('\n\n');
}

function writeCall(tool: ToolPart, node: ViewNode, timeOf: TimeOf): string {
  const { verb, object, facts, diffs, input, output, images } = describeCall(tool);
  const line = [
    `**${withoutTags(visibleLine(verb))}**`,
    object === '' ? '' : inlineCode(visibleLine(object)),
    facts.length === 0 ? '' : `(${facts.join(', ')})`,
  ];
  const texts = [
    line.filter(text => text !== '').join(' '),
    ...tool.relays.map(relay => writeRelay(relay, node)),
    ...diffs.map(({ path, hunks }) => writeDiff(path, hunks)),
    input === '' ? '' : fenceText(shorten(printableText(input), 20, 5), 'json'),
    output === '' ? '' : fenceText(shorten(printableText(output), 12, 8), 'text'),
    ...images.map(({ mediaType }) => `*[image: ${mediaType}]*`),
    writeRuns(tool.runs, timeOf),
  ];
  return texts.filter(text => text !== '').join('\n\n');
}

const signs = { same: ' ', added: '+', removed: '-' } as const;

function writeDiff(
  path: string,
  hunks: readonly { readonly lines: readonly { kind: keyof typeof signs; text: string }[] }[],
): string {
  const lines = hunks.flatMap(({ lines: shown }) => ['@@', ...shown.map(({ kind, text }) => signs[kind] + text)]);
  return fenceText(shorten(printableText([`--- ${path}`, ...lines].join('\n')), 80, 20), 'diff');
}

function writeRelay(part: RelayPart, { agentId }: ViewNode): string {
  const { summary } = presentRelay(part.relay, { agentId });
  return quote(`**Asked:** ${inlineCode(visibleLine(summary))} → **${withoutTags(visibleLine(presentAnswer(part)))}**`);
}

function writeExecution({ code, printed, output, runs }: ReplPart, timeOf: TimeOf): string {
  const shown = output?.stdout ?? printed.map(({ text }) => text).join('');
  const texts = [
    code === undefined ? '' : fenceText(printableText(code), 'js'),
    shown === '' ? '' : fenceText(shorten(printableText(shown), 12, 8), 'text'),
    output?.error === undefined ? '' : `*error: ${withoutTags(visibleLine(output.error))}*`,
    writeRuns(runs, timeOf),
  ];
  return texts.filter(text => text !== '').join('\n\n');
}

function writeRuns(runs: readonly ViewNode[], timeOf: TimeOf): string {
  return runs
    .map(run => quote(writeMessage(run, '####', timeOf)))
    .filter(text => text !== '')
    .join('\n\n');
}

function quote(text: string): string {
  return text === ''
    ? ''
    : text
        .split('\n')
        .map(line => (line === '' ? '>' : `> ${line}`))
        .join('\n');
}
