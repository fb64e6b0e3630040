import { type Encoder, type Protocol, sseFraming } from '../../src/protocols/index.ts';

/** Counts the words that agents have written so far. */
function wordCountEncoder(): Encoder<{ words: number }> {
  let words = 0;
  return {
    encode(event) {
      if (event.type !== 'text') return [];
      words += event.content.split(/\s+/).filter(Boolean).length;
      return [{ words }];
    },
    end: () => [],
  };
}

export const wordCount: Protocol = {
  description: 'how many words agents have written',
  covers: 'thread',
  framing: sseFraming,
  encoder: wordCountEncoder,
};
