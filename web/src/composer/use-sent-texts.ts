import { useState } from 'react';
import * as z from 'zod';
import { type TextWalk, walkTexts } from '../../../src/projections/completion/walk-texts.ts';
import { readStored, writeStored } from '../parts/stored-value.ts';

const name = 'sent';
const most = 200;
const longest = 10_000;

/** The messages that were sent from this browser, to be walked through; the newest first. */
export function useSentTexts() {
  const [walk, setWalk] = useState<TextWalk<string>>();
  return {
    isWalking: walk !== undefined,
    /** Returns the text of the step, given the draft; undefined when there is none. */
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
