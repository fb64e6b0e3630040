import { useState } from 'react';
import type { ThreadView } from '../app/address.ts';
import { actionCommand, type PageCommand } from '../composer/page-command.ts';
import { useLatest } from '../parts/use-latest.ts';

interface ThreadCommandActions {
  readonly onView: (view: ThreadView) => void;
  readonly onChanges: () => void;
  readonly onStop: () => void;
  readonly onRename: (title: string) => void;
  /** Returns the newest answer; empty when the thread has none. */
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
    actionCommand('changes', 'show the changed files', () => actions().onChanges()),
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
    actionCommand('stop', 'stop what runs', () => actions().onStop()),
    actionCommand('runs', 'show every step, and what models were sent', () => actions().onView('runs')),
    actionCommand('graph', 'show the conversation as a graph', () => actions().onView('graph')),
    actionCommand('playback', 'play the conversation again', () => actions().onView('playback')),
  ];
}
