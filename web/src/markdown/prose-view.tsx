import { memo, useState } from 'react';
import { HiddenPart } from '../code/long-text.tsx';
import { shortenedText } from '../../../src/projections/presentation/shortened-text.ts';
import { BlockView } from './block-view.tsx';
import { MarkdownStream } from './markdown-stream.ts';

/** A longer text is shortened: a page cannot lay out any amount of text. */
const limits = { headLines: 4_000, tailLines: 40, chars: 200_000 };

interface ProseProps {
  readonly text: string;
  /** Whether more text may follow. */
  readonly live?: boolean;
}

/** The text of an agent: Markdown as elements, never as HTML. While it grows only its end is drawn again. */
export const Prose = memo(function Prose({ text, live = false }: ProseProps) {
  const [stream] = useState(() => new MarkdownStream());
  const [tailStream] = useState(() => new MarkdownStream());
  const short = shortenedText(text, limits);
  const blocks = stream.read(short?.head ?? text, !live || short !== undefined);
  const tail = short === undefined ? [] : tailStream.read(short.tail, true);
  return (
    <div className="prose">
      {blocks.map(block => (
        <BlockView key={block.start} block={block} />
      ))}
      {short !== undefined && <HiddenPart text={text} short={short} />}
      {tail.map(block => (
        <BlockView key={`tail ${block.start}`} block={block} />
      ))}
    </div>
  );
});
