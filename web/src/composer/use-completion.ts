import { useCallback, useEffect, useMemo, useState } from 'react';
import {
  type Completion,
  completionFor,
  completionRequest,
  markedChange,
  moveCompletion,
} from '../../../src/projections/completion/completion.ts';
import type { Ranked } from '../../../src/projections/completion/fuzzy-match.ts';
import { useLatest } from '../parts/use-latest.ts';
import type { PageCommand } from './page-command.ts';

/** Finds the files of the project that match, the best first. */
export type FindFiles = (query: string) => Promise<readonly Ranked<string>[]>;

interface Completed {
  readonly text: string;
  readonly cursor: number;
  readonly commands: readonly PageCommand[];
  readonly findFiles: FindFiles;
}

const pauseMs = 60;
const noFiles: readonly Ranked<string>[] = [];

/** Completes the word at the cursor: commands after a slash, their arguments, and files after an at sign. */
export function useCompletion({ text, cursor, commands, findFiles }: Completed) {
  const written = useMemo(() => ({ text, cursor, isLiteral: false }), [text, cursor]);
  const request = completionRequest(written);
  const query = request?.kind === 'file' ? request.query : undefined;
  const files = useFiles(query, findFiles);
  const [marked, setMarked] = useState<Completion>();
  /** The text whose completions were closed. */
  const [closedFor, setClosedFor] = useState<string>();
  const sources = {
    files: () => files,
    commands,
    values: (kind: string) => commands.find(({ completes }) => completes === kind)?.values ?? [],
  };
  const completion = closedFor === text ? undefined : completionFor(written, sources, marked);
  return {
    completion,
    move: (step: 1 | -1) => completion && setMarked(moveCompletion(completion, step)),
    mark: (index: number) => completion && setMarked({ ...completion, index }),
    close: useCallback(() => setClosedFor(text), [text]),
    /** The draft with the marked completion in it, and where the cursor is then. */
    accept: () => {
      if (completion === undefined) return undefined;
      const { from, to, text: inserted } = markedChange(completion);
      return { text: text.slice(0, from) + inserted + text.slice(to), cursor: from + inserted.length };
    },
  };
}

/** The files that match; those of the query before stay until the answer has come. */
function useFiles(query: string | undefined, findFiles: FindFiles): readonly Ranked<string>[] {
  const [found, setFound] = useState(noFiles);
  const find = useLatest(findFiles);
  useEffect(() => {
    if (query === undefined) return setFound(noFiles);
    let isOver = false;
    const timer = setTimeout(() => {
      find.current(query).then(
        files => !isOver && setFound(files),
        // A server that cannot be reached is shown as such elsewhere.
        () => !isOver && setFound(noFiles),
      );
    }, pauseMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [query, find]);
  return found;
}
