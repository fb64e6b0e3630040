import { lazy, Suspense, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import type { ProjectInfo } from '../../../src/protocols/http-folders.ts';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { folderNames } from '../threads/folder-names.ts';
import { useProjects } from './use-projects.ts';

const FolderBrowser = lazy(async () => ({ default: (await import('./folder-browser.tsx')).FolderBrowser }));

interface ProjectMenuProps {
  readonly client: Client;
  readonly label: string;
  /** The button that opened it. */
  readonly anchor: HTMLElement;
  /** The folder that is chosen now. */
  readonly folder: string | undefined;
  readonly onChoose: (project: ProjectInfo) => void;
  readonly onClose: () => void;
}

/** The projects to choose from, the newest first, and the way to another folder. */
export function ProjectMenu({ client, label, anchor, folder, onChoose, onClose }: ProjectMenuProps) {
  const projects = useProjects();
  const [isBrowsing, setBrowsing] = useState(false);

  const list = projects?.list ?? [];
  const names = folderNames(list.map(each => each.folder));
  if (isBrowsing)
    return (
      <Suspense fallback={null}>
        <FolderBrowser
          client={client}
          onChoose={project => {
            onClose();
            onChoose(project);
          }}
          onClose={onClose}
        />
      </Suspense>
    );
  return (
    <Menu label={label} look="project-menu" anchor={anchor} onClose={onClose}>
      {list.map(project => (
        <MenuItem
          key={project.folder}
          role="menuitemradio"
          aria-checked={project.folder === folder}
          title={project.folder}
          onClick={() => onChoose(project)}
        >
          <strong>{names.get(project.folder) ?? project.name}</strong>
          <span>{project.folder}</span>
        </MenuItem>
      ))}
      <button type="button" role="menuitem" className="menu-item" tabIndex={-1} onClick={() => setBrowsing(true)}>
        Open folder…
      </button>
    </Menu>
  );
}
