import { lazy, Suspense, useContext, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { ProjectInfo } from '../../../src/protocols/http-folders.ts';
import { FolderIcon } from '../parts/icons.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { Threads, useThreads } from '../threads/use-threads.ts';
import { useProjects } from './use-projects.ts';

const ProjectMenu = lazy(async () => ({ default: (await import('./project-menu.tsx')).ProjectMenu }));

/** Shows the folder that a conversation works in, and moves its next turns to another one; nothing without projects. */
export function ThreadFolder({ client, threadId }: { client: Client; threadId: string }) {
  const projects = useProjects();
  const list = useContext(Threads);
  const { threads } = useThreads();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const [problem, setProblem] = useState<string>();
  if (projects === undefined) return null;
  const start = projects.list.find(({ isStart }) => isStart);
  const folder = threads.find(({ id }) => id === threadId)?.folder ?? start?.folder;
  const move = (project: ProjectInfo) => {
    client.moveThread(threadId, project.folder).then(
      thread => list?.put(thread),
      (error: unknown) => setProblem(errorText(error)),
    );
  };
  return (
    <>
      <button
        type="button"
        className="quiet-button thread-folder"
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        aria-label={`Folder: ${folder ?? 'none'}`}
        title={folder === undefined ? 'Choose a folder' : `${folder}: the next turn works here`}
        onClick={event => setAnchor(event.currentTarget)}
      >
        <FolderIcon />
        <span>{folder?.split('/').at(-1) ?? 'No folder'}</span>
      </button>
      {anchor !== undefined && (
        <Suspense fallback={null}>
          <ProjectMenu
            client={client}
            label="Folder of this conversation"
            anchor={anchor}
            folder={folder}
            onChoose={move}
            onClose={() => setAnchor(undefined)}
          />
        </Suspense>
      )}
      {problem !== undefined && (
        <Toasts toasts={[{ key: 'folder', text: problem, tone: 'bad', onClose: () => setProblem(undefined) }]} />
      )}
    </>
  );
}
