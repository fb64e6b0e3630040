import type { Token, Tokens } from 'marked';
import { memo, type ReactNode } from 'react';
import { CodeBlock } from '../code/code-block.tsx';
import { inlineView, mostNested } from './inline-view.tsx';
import type { Block } from '../../../src/projections/presentation/lex-markdown.ts';
import { TableView } from './table-view.tsx';

/** One block of a text; it is drawn again only when it changes. */
export const BlockView = memo(function BlockView({ block: { token, isOpen } }: { block: Block }) {
  return blockView(token, isOpen, 0);
});

function blockView(token: Token, isOpen: boolean, depth: number): ReactNode {
  if (depth > mostNested) return <p dir="auto">{token.raw}</p>;
  switch (token.type) {
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      return <CodeBlock text={text} name={lang.split(/\s/, 1)[0] ?? ''} isOpen={isOpen} />;
    }
    case 'heading': {
      const { depth: level, tokens } = token as Tokens.Heading;
      return level <= 2 ? <h3 dir="auto">{inlineView(tokens)}</h3> : <h4 dir="auto">{inlineView(tokens)}</h4>;
    }
    case 'list':
      return <ListView list={token as Tokens.List} depth={depth} />;
    case 'blockquote':
      return <blockquote dir="auto">{blockViews((token as Tokens.Blockquote).tokens, depth)}</blockquote>;
    case 'table':
      return <TableView table={token as Tokens.Table} />;
    case 'hr':
      return <hr />;
    case 'paragraph':
    case 'text':
      return <p dir="auto">{inlineView((token as Tokens.Paragraph).tokens) ?? (token as Tokens.Text).text}</p>;
    default:
      return <p dir="auto">{token.raw.trimEnd()}</p>;
  }
}

function blockViews(tokens: readonly Token[], depth: number): ReactNode {
  // Blocks within a block have no other identity: it is drawn again as a whole.
  return tokens.map((token, index) =>
    token.type === 'space' || token.type === 'def' ? null : <Nested key={index} token={token} depth={depth + 1} />,
  );
}

function Nested({ token, depth }: { token: Token; depth: number }): ReactNode {
  return blockView(token, false, depth);
}

function ListView({ list: { ordered, start, items }, depth }: { list: Tokens.List; depth: number }): ReactNode {
  const shown = items.map((item, index) => (
    <li key={index} dir="auto" className={item.task ? 'task' : undefined}>
      {itemView(item, depth)}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{shown}</ol> : <ul>{shown}</ul>;
}

/** The text of a tight item stands in it without a paragraph. */
function itemView({ tokens }: Tokens.ListItem, depth: number): ReactNode {
  return tokens.map((token, index) => {
    if (token.type === 'space' || token.type === 'def') return null;
    if (token.type === 'checkbox') return <TaskBox key={index} isDone={(token as Tokens.Checkbox).checked} />;
    if (token.type === 'text') {
      const { tokens: inner, text } = token as Tokens.Text;
      return <span key={index}>{inlineView(inner) ?? text}</span>;
    }
    return <Nested key={index} token={token} depth={depth + 1} />;
  });
}

function TaskBox({ isDone }: { isDone: boolean }) {
  return <input type="checkbox" checked={isDone} disabled readOnly aria-label={isDone ? 'Done' : 'To do'} />;
}
