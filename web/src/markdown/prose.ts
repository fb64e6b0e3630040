/** A piece of a line. */
export type Span =
  | { readonly kind: 'text' | 'code' | 'strong' | 'em'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string };

/** A block of Markdown. */
export type Block =
  | { readonly kind: 'paragraph' | 'quote'; readonly lines: readonly (readonly Span[])[] }
  | { readonly kind: 'heading'; readonly level: number; readonly spans: readonly Span[] }
  | {
      readonly kind: 'list';
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly (readonly Span[])[];
    }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'rule' };

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const bullet = /^\s*[-*+]\s+(.*)$/;
const numbered = /^\s*(\d{1,9})[.)]\s+(.*)$/;
const quote = /^ {0,3}>\s?(.*)$/;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;

/**
 * Parses the subset of Markdown that models write. It supports no HTML: unknown syntax stays text. An unclosed code
 * block extends to the end, so text can be shown while it streams.
 */
export function parseProse(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const opened = fence.exec(line);
    if (opened) {
      const close = new RegExp(`^ {0,3}${opened[1]?.[0] === '~' ? '~' : '`'}{${opened[1]?.length ?? 3},}\\s*$`);
      const end = lines.findIndex((each, index) => index > at && close.test(each));
      const body = lines.slice(at + 1, end === -1 ? undefined : end);
      blocks.push({ kind: 'code', language: opened[2] ?? '', text: body.join('\n') });
      at = end === -1 ? lines.length : end + 1;
      continue;
    }
    if (line.trim() !== '') addLine(blocks, line, at > 0 && lines[at - 1]?.trim() !== '');
    at++;
  }
  return blocks;
}

/** Adds a line to the previous block when it continues that, else starts a new block. */
function addLine(blocks: Block[], line: string, adjoins: boolean): void {
  const last = blocks.at(-1);
  const title = heading.exec(line);
  if (title)
    return void blocks.push({ kind: 'heading', level: title[1]?.length ?? 1, spans: parseSpans(title[2] ?? '') });
  if (rule.test(line)) return void blocks.push({ kind: 'rule' });
  const number = numbered.exec(line);
  const item = number?.[2] ?? bullet.exec(line)?.[1];
  if (item !== undefined) {
    const ordered = number !== null;
    const spans = parseSpans(item);
    if (last?.kind === 'list' && last.ordered === ordered)
      blocks[blocks.length - 1] = { ...last, items: [...last.items, spans] };
    else blocks.push({ kind: 'list', ordered, start: Number(number?.[1] ?? 1), items: [spans] });
    return;
  }
  const quoted = quote.exec(line)?.[1];
  const kind = quoted === undefined ? 'paragraph' : 'quote';
  const spans = parseSpans(quoted ?? line.trim());
  if (adjoins && last?.kind === 'list' && /^\s{2,}/.test(line)) {
    const items = [
      ...last.items.slice(0, -1),
      [...(last.items.at(-1) ?? []), { kind: 'text', text: ' ' } as const, ...spans],
    ];
    blocks[blocks.length - 1] = { ...last, items };
  } else if (adjoins && last?.kind === kind) blocks[blocks.length - 1] = { kind, lines: [...last.lines, spans] };
  else blocks.push({ kind, lines: [spans] });
}

const span =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\s][^*\n]*)\*(?!\w)|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>)\]]*[\w/])/g;

/** Parses code, emphasis and links within a line; a link leads only to http and https. */
export function parseSpans(line: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const match of line.matchAll(span)) {
    if (match.index > from) spans.push({ kind: 'text', text: line.slice(from, match.index) });
    const [whole, code, strong, em, label, href, bare] = match;
    if (code !== undefined) spans.push({ kind: 'code', text: code });
    else if (strong !== undefined) spans.push({ kind: 'strong', text: strong });
    else if (em !== undefined) spans.push({ kind: 'em', text: em });
    else spans.push({ kind: 'link', text: label ?? whole, href: href ?? bare ?? whole });
    from = match.index + whole.length;
  }
  if (from < line.length) spans.push({ kind: 'text', text: line.slice(from) });
  return spans;
}
