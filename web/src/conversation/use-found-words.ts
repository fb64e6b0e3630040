import { type RefObject, useEffect } from 'react';
import { markWords } from '../../../src/projections/presentation/mark-words.ts';

/** The name of the highlight that the style sheet colours. */
const highlightName = 'found';

/** Marks the words of a search in what an element shows, also in what it shows later; nothing without words. */
export function useFoundWords(element: RefObject<HTMLElement | null>, words: string | undefined): void {
  useEffect(() => {
    const root = element.current;
    // A browser without highlights still shows the message that was found.
    if (words === undefined || root === null || !('highlights' in CSS)) return undefined;
    const mark = () => CSS.highlights.set(highlightName, new Highlight(...foundRanges(root, words)));
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      CSS.highlights.delete(highlightName);
    };
  }, [element, words]);
}

function foundRanges(root: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    let at = 0;
    for (const piece of markWords(text.nodeValue ?? '', words)) {
      if (piece.isMarked) {
        const range = new Range();
        range.setStart(text, at);
        range.setEnd(text, at + piece.text.length);
        ranges.push(range);
      }
      at += piece.text.length;
    }
  }
  return ranges;
}
