import { useState } from 'react';
import type { ThreadView } from '../app/address.ts';
import type { PageCommand } from '../composer/page-command.ts';
import { useLatest } from '../parts/use-latest.ts';

interface ThreadCommandActions {
  readonly onView: (view: ThreadView) => void;
  readonly onChanges: () => void;
  readonly onStop: () => void;
  readonly onRename: (title: string) => void;
  /** The newest answer; empty when there is none. */
  readonly answer: () => string;
  readonly onProblem: (problem: string) => void;
}

/** Returns the commands of an open thread, the same list for as long as it is open. */
export function useThreadCommands(actions: ThreadCommandActions): readonly PageCommand[] {
  const latest = useLatest(actions);
  const [commands] = useState(() => threadCommands(() => latest.current));
  return commands;
}

function threadCommands(actions: () => ThreadCommandActions): readonly PageCommand[] {
  return [
    { name: 'changes', does: 'show the changed files', run: () => void actions().onChanges() },
    {
      name: 'copy',
      does: 'copy the newest answer',
      run: () => {
        const written = navigator.clipboard?.writeText(actions().answer()) ?? Promise.reject(new Error('no clipboard'));
        written.catch(() => actions().onProblem('The clipboard cannot be used on this page.'));
        return undefined;
      },
    },
    {
      name: 'rename',
      argument: 'title',
      does: 'rename the conversation',
      run: title => {
        if (title === '') throw new Error('Write the new title after /rename.');
        actions().onRename(title);
        return undefined;
      },
    },
    { name: 'stop', does: 'stop what runs', run: () => void actions().onStop() },
    { name: 'runs', does: 'show every step, and what models were sent', run: () => void actions().onView('runs') },
    { name: 'graph', does: 'show the conversation as a graph', run: () => void actions().onView('graph') },
    { name: 'playback', does: 'play the conversation again', run: () => void actions().onView('playback') },
  ];
}
