import type { Token, Tokens } from 'marked';
import { visibleText } from '../../base/terminal-text.ts';
import { withoutEntities } from '../../projections/presentation/entities.ts';
import { lexMarkdown, withLineFeeds } from '../../projections/presentation/lex-markdown.ts';
import { safeLink } from '../../projections/presentation/safe-link.ts';

/** HTML created by `html`; any other value put into a page is treated as text. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | undefined | Markup | readonly Markup[];

/** Makes HTML of a template: values are escaped, unless they are HTML themselves. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...values.map(toHtmlText)));
}

/** Empty HTML. */
export const nothing = new Markup('');

function toHtmlText(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escapeHtml(String(value));
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => escapes[character] ?? character);
}

/** Deeper nesting is shown as it was written. */
const mostNested = 24;

/** Returns Markdown as HTML, one element for each block; HTML in it is text, and nothing is loaded. */
export function proseHtml(markdown: string): Markup {
  const { blocks } = lexMarkdown(withLineFeeds(markdown), true);
  return html`${blocks.map(({ token }) => blockHtml(token, 0))}`;
}

function blockHtml(token: Token, depth: number): Markup {
  if (depth > mostNested) return html`<p dir="auto">${token.raw}</p>`;
  switch (token.type) {
    case 'space':
    case 'def':
      return nothing;
    case 'code':
      return html`<pre><code>${visibleText((token as Tokens.Code).text)}</code></pre>`;
    case 'heading': {
      const { depth: level, tokens } = token as Tokens.Heading;
      const text = inlineHtml(tokens, 0);
      return level <= 2 ? html`<h3 dir="auto">${text}</h3>` : html`<h4 dir="auto">${text}</h4>`;
    }
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const list = items.map(item => html`<li dir="auto">${item.tokens.map(each => itemHtml(each, depth + 1))}</li>`);
      return ordered ? html`<ol start="${start === '' ? 1 : start}">${list}</ol>` : html`<ul>${list}</ul>`;
    }
    case 'blockquote': {
      const { tokens } = token as Tokens.Blockquote;
      return html`<blockquote dir="auto">${tokens.map(each => blockHtml(each, depth + 1))}</blockquote>`;
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      const cells = (list: readonly Tokens.TableCell[], wrap: (text: Markup) => Markup) =>
        list.map(({ tokens }) => wrap(inlineHtml(tokens, 0)));
      return html`<div class="table"><table>
<thead><tr>${cells(header, text => html`<th dir="auto">${text}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr>${cells(row, text => html`<td dir="auto">${text}</td>`)}</tr>`)}</tbody></table></div>`;
    }
    case 'hr':
      return html`<hr>`;
    case 'paragraph':
    case 'text': {
      const { tokens, text } = token as Tokens.Paragraph;
      return html`<p dir="auto">${tokens === undefined ? text : inlineHtml(tokens, 0)}</p>`;
    }
    default:
      return html`<p dir="auto">${token.raw.trimEnd()}</p>`;
  }
}

/** The text of a tight item stands in it without a paragraph. */
function itemHtml(token: Token, depth: number): Markup {
  if (token.type === 'checkbox') return (token as Tokens.Checkbox).checked ? html`☑ ` : html`☐ `;
  if (token.type !== 'text') return blockHtml(token, depth);
  const { tokens, text } = token as Tokens.Text;
  return tokens === undefined ? html`${text}` : inlineHtml(tokens, 0);
}

function inlineHtml(tokens: readonly Token[], depth: number): Markup {
  return html`${tokens.map(token => oneInline(token, depth))}`;
}

function oneInline(token: Tokens.Generic, depth: number): Markup {
  if (depth > mostNested) return html`${token.raw}`;
  const inner = () =>
    token.tokens === undefined
      ? html`${withoutEntities(String(token['text'] ?? token.raw))}`
      : inlineHtml(token.tokens, depth + 1);
  switch (token.type) {
    case 'strong':
      return html`<strong>${inner()}</strong>`;
    case 'em':
      return html`<em>${inner()}</em>`;
    case 'del':
      return html`<del>${inner()}</del>`;
    case 'codespan':
      return html`<code>${visibleText(String(token['text']))}</code>`;
    case 'br':
      return html`<br>`;
    case 'link':
    case 'image': {
      const href = safeLink(withoutEntities(String(token['href'])));
      if (href === undefined) return html`${token.raw}`;
      const text = token.type === 'image' ? html`Image: ${String(token['text']) || href}` : inner();
      return html`<a href="${href}" rel="noopener noreferrer nofollow">${text}</a>`;
    }
    case 'text':
      return inner();
    case 'escape':
      return html`${String(token['text'])}`;
    default:
      return html`${token.raw}`;
  }
}
