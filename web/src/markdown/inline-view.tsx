import type { Token, Tokens } from 'marked';
import type { ReactNode } from 'react';
import { visibleText } from '../code/visible-text.ts';
import { withoutEntities } from '../../../src/projections/presentation/entities.ts';
import { safeLink } from '../../../src/projections/presentation/safe-link.ts';

/** Deeper nesting is shown as it was written. */
export const mostNested = 24;

/** The text within a block: emphasis, code and links as elements; HTML and unsafe links as they were written. */
export function inlineView(tokens: readonly Token[] | undefined, depth = 0): ReactNode {
  return tokens?.map((token, index) => oneInline(token, index, depth));
}

function oneInline(token: Tokens.Generic, key: number, depth: number): ReactNode {
  if (depth > mostNested) return token.raw;
  const inner = () => (token.tokens === undefined ? shown(token) : inlineView(token.tokens, depth + 1));
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{inner()}</strong>;
    case 'em':
      return <em key={key}>{inner()}</em>;
    case 'del':
      return <del key={key}>{inner()}</del>;
    case 'codespan':
      return <code key={key}>{visibleText(String(token['text']))}</code>;
    case 'br':
      return '\n';
    case 'link':
    case 'image':
      return linkView(token, key, depth);
    case 'text':
      return token.tokens === undefined ? shown(token) : inlineView(token.tokens, depth + 1);
    case 'escape':
      return String(token['text']);
    default:
      return token.raw;
  }
}

/** A link; an image of a model is one too, so that nothing is loaded without a click. */
function linkView(token: Tokens.Generic, key: number, depth: number): ReactNode {
  const href = safeLink(withoutEntities(String(token['href'])));
  if (href === undefined) return token.raw;
  const isImage = token.type === 'image';
  return (
    <a key={key} href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {isImage ? `Image: ${String(token['text']) || href}` : inlineView(token.tokens, depth + 1)}
    </a>
  );
}

function shown(token: Tokens.Generic): string {
  return withoutEntities(String(token['text'] ?? token.raw));
}
