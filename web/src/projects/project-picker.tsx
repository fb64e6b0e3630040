import '../styles/projects.css';
import { lazy, Suspense, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { ProjectInfo } from '../../../src/protocols/http-folders.ts';
import { FolderIcon } from '../parts/icons.tsx';
import { useProjects } from './use-projects.ts';

const ProjectMenu = lazy(async () => ({ default: (await import('./project-menu.tsx')).ProjectMenu }));

/** Shows the project that new conversations begin in, and changes it; nothing on a server without projects. */
export function ProjectPicker({ client, onChosen }: { client: Client; onChosen: () => void }) {
  const projects = useProjects();
  const [anchor, setAnchor] = useState<HTMLElement>();
  const [problem, setProblem] = useState<string>();
  if (projects?.current === undefined) return null;
  const { current, choose, open } = projects;
  const change = (project: ProjectInfo) => {
    setProblem(undefined);
    choose(project);
    onChosen();
    // Loads its configuration, and asks about it.
    open(project.folder).catch((error: unknown) => setProblem(errorText(error)));
  };
  return (
    <div className="project-picker">
      <button
        type="button"
        aria-haspopup="menu"
        aria-expanded={anchor !== undefined}
        aria-label={`Project: ${current.name}`}
        title={current.folder}
        onClick={event => setAnchor(event.currentTarget)}
      >
        <FolderIcon />
        <span>{current.name}</span>
        {current.trust !== undefined && <em>not trusted</em>}
      </button>
      {problem !== undefined && (
        <p role="alert" className="project-problem">
          {problem}
        </p>
      )}
      {anchor !== undefined && (
        <Suspense fallback={null}>
          <ProjectMenu
            client={client}
            label="Projects"
            anchor={anchor}
            folder={current.folder}
            onChoose={change}
            onClose={() => setAnchor(undefined)}
          />
        </Suspense>
      )}
    </div>
  );
}
