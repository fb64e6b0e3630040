import { type KeyboardEvent, lazy, Suspense, useLayoutEffect, useRef, useState } from 'react';
import type { Client } from '../../../src/client/index.ts';
import type { ProjectInfo } from '../../../src/protocols/index.ts';
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

/** The projects to choose from, the newest first, and the way to another folder: arrow keys move, Escape closes it. */
export function ProjectMenu({ client, label, anchor, folder, onChoose, onClose }: ProjectMenuProps) {
  const projects = useProjects();
  const element = useRef<HTMLDivElement>(null);
  const [isBrowsing, setBrowsing] = useState(false);

  useLayoutEffect(() => {
    const menu = element.current;
    if (menu === null) return;
    const { left, bottom } = anchor.getBoundingClientRect();
    menu.style.left = `${Math.max(8, Math.min(left, innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${bottom + 4}px`;
    menu.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
  }, [anchor]);

  const list = projects?.list ?? [];
  const names = folderNames(list.map(each => each.folder));
  const onKeyDown = (event: KeyboardEvent) => {
    const items = [...(element.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      items.at(next % items.length)?.focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      anchor.focus();
      onClose();
    }
  };
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
    <>
      <div className="menu-scrim" onPointerDown={onClose} />
      <div ref={element} className="menu-box project-menu" role="menu" aria-label={label} onKeyDown={onKeyDown}>
        {list.map(project => (
          <button
            key={project.folder}
            type="button"
            role="menuitemradio"
            aria-checked={project.folder === folder}
            className="menu-item"
            tabIndex={-1}
            title={project.folder}
            onClick={() => {
              anchor.focus();
              onClose();
              onChoose(project);
            }}
          >
            <strong>{names.get(project.folder) ?? project.name}</strong>
            <span>{project.folder}</span>
          </button>
        ))}
        <button type="button" role="menuitem" className="menu-item" tabIndex={-1} onClick={() => setBrowsing(true)}>
          Open folder…
        </button>
      </div>
    </>
  );
}
