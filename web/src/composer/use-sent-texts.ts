import { useState } from 'react';
import * as z from 'zod';
import { type TextWalk, walkTexts } from '../../../src/projections/completion/walk-texts.ts';
import { readStored, writeStored } from '../parts/stored-value.ts';

const name = 'sent';
const most = 200;
const longest = 10_000;

/** The messages that were sent from this browser, newest first, with a cursor to step through them. */
export function useSentTexts() {
  const [walk, setWalk] = useState<TextWalk<string>>();
  return {
    isWalking: walk !== undefined,
    /**
     * Returns the text one step further, or the draft after the newest message; undefined when there is no further
     * text.
     */
    move: (draft: string, step: 1 | -1): string | undefined => {
      const found = walkTexts(draft, walk, { entries: readSent(), step });
      if (found === undefined) return undefined;
      setWalk(found.walk);
      return found.walk === undefined ? found.draft : found.text;
    },
    leave: () => setWalk(undefined),
    add: (text: string) => {
      setWalk(undefined);
      if (text === '' || text.length > longest) return;
      writeStored(name, [text, ...readSent().filter(each => each !== text)].slice(0, most));
    },
  };
}

function readSent(): readonly string[] {
  return readStored(name, z.array(z.string())) ?? [];
}
