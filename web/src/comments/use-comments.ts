import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import * as z from 'zod';
import { readStored, writeStored } from '../parts/stored-value.ts';
import { type Comment, type CommentDraft, commentSchema } from './comment.ts';

/** The comments of a thread that are not sent yet. */
export interface Comments {
  readonly list: readonly Comment[];
  /** The comment that is being written. */
  readonly draft: CommentDraft | undefined;
  /** Opens the form of a comment, a new one or one of the list. */
  readonly open: (draft: CommentDraft) => void;
  readonly close: () => void;
  /** Adds the comment that is being written, or changes it. */
  readonly save: (text: string) => void;
  readonly remove: (id: string) => void;
  readonly clear: () => void;
}

/** Provides the comments of a thread to what can be commented on. */
export const CommentsContext = createContext<Comments | undefined>(undefined);

/** Returns the comments of the thread; undefined where nothing can be commented on. */
export function useCommentsContext(): Comments | undefined {
  return useContext(CommentsContext);
}

const stored = z.array(commentSchema);

/** Keeps the comments of a thread, also across reloads of the page. */
export function useComments(threadId: string): Comments {
  const key = `comments:${threadId}`;
  const [list, setList] = useState<readonly Comment[]>(() => readStored(key, stored) ?? []);
  const [draft, setDraft] = useState<CommentDraft>();
  useEffect(() => writeStored(key, list.length === 0 ? undefined : list), [key, list]);
  return useMemo(
    () => ({
      list,
      draft,
      open: setDraft,
      close: () => setDraft(undefined),
      save: text => {
        if (draft === undefined) return;
        const { id = crypto.randomUUID(), target, quote } = draft;
        const saved = { id, target, quote, text };
        setList(before => [...before.filter(each => each.id !== id), saved]);
        setDraft(undefined);
      },
      remove: id => setList(before => before.filter(each => each.id !== id)),
      clear: () => setList([]),
    }),
    [list, draft],
  );
}
