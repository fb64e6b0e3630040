const hidden = /^(?:script|style|head|noscript|template|svg)$/;
const breaking =
  /^(?:p|div|section|article|header|footer|main|nav|aside|ul|ol|table|tr|blockquote|pre|h[1-6]|form|dl|dt|dd|hr)$/;

/** Returns the plain text of a page: no scripts and styles, a line for each block, `-` before each list item. */
export function htmlText(html: string): string {
  let text = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    text += decodeEntities(html.slice(at, open < 0 ? html.length : open)).replaceAll(/\s+/g, ' ');
    if (open < 0) break;
    const [next, added] = afterTag(html, open);
    at = next;
    text += added;
  }
  return text
    .split('\n')
    .map(line => line.replaceAll(/ {2,}/g, ' ').trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** The position where the text continues after a tag, and the text that the tag adds. */
function afterTag(html: string, open: number): [number, string] {
  if (html.startsWith('<!--', open)) return [findEnd(html, '-->', open + 4), ''];
  const [, closing, tag = ''] = /^<(\/?)([a-zA-Z][a-zA-Z0-9]*)/.exec(html.slice(open, open + 20)) ?? [];
  if (tag === '' && !/^<[!/?]/.test(html.slice(open, open + 2))) return [open + 1, '<'];
  const name = tag.toLowerCase();
  const end = findEnd(html, '>', open);
  if (closing === '' && hidden.test(name)) return [afterElement(html, name, end), ''];
  if (name === 'br' || breaking.test(name)) return [end, '\n'];
  return [end, name === 'li' && closing === '' ? '\n- ' : name === 'td' || name === 'th' ? ' ' : ''];
}

function afterElement(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}\\b`, 'gi');
  close.lastIndex = from;
  const found = close.exec(html);
  return found === null ? html.length : findEnd(html, '>', found.index);
}

function findEnd(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found < 0 ? html.length : found + mark.length;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  hellip: '…',
  mdash: '—',
  ndash: '–',
};

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
    if (code === undefined) return entities[String(name).toLowerCase()] ?? whole;
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}
