import { memo, type ReactElement, useMemo } from 'react';
import { type Block, parseProse, type Span } from './prose.ts';

/** The text of an agent: paragraphs, lists and code as elements, never as HTML. */
export const Prose = memo(function Prose({ text }: { text: string }) {
  const blocks = useMemo(() => parseProse(text), [text]);
  return (
    <div className="prose">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
});

function BlockView({ block }: { block: Block }): ReactElement {
  if (block.kind === 'code')
    return (
      <figure className="code-block">
        {block.language !== '' && <figcaption>{block.language}</figcaption>}
        <pre>
          <code>{block.text}</code>
        </pre>
      </figure>
    );
  if (block.kind === 'heading')
    return block.level <= 2 ? <h3>{spansOf(block.spans)}</h3> : <h4>{spansOf(block.spans)}</h4>;
  if (block.kind === 'list') {
    const items = block.items.map((spans, index) => <li key={index}>{spansOf(spans)}</li>);
    return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
  }
  if (block.kind === 'rule') return <hr />;
  if (block.kind === 'quote') return <blockquote>{linesOf(block.lines)}</blockquote>;
  return <p>{linesOf(block.lines)}</p>;
}

function linesOf(lines: readonly (readonly Span[])[]) {
  return lines.map((spans, index) => (
    <span key={index}>
      {index > 0 && '\n'}
      {spansOf(spans)}
    </span>
  ));
}

function spansOf(spans: readonly Span[]) {
  return spans.map((span, index) => {
    if (span.kind === 'code') return <code key={index}>{span.text}</code>;
    if (span.kind === 'strong') return <strong key={index}>{span.text}</strong>;
    if (span.kind === 'em') return <em key={index}>{span.text}</em>;
    if (!('href' in span)) return <span key={index}>{span.text}</span>;
    return (
      <a key={index} href={span.href} target="_blank" rel="noreferrer">
        {span.text}
      </a>
    );
  });
}
