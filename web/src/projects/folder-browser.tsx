import '../styles/diff.css';
import '../styles/folder-dialogs.css';
import { useCallback, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { errorText } from '../../../src/base/error-text.ts';
import type { ProjectInfo } from '../../../src/protocols/http-folders.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { FolderIcon } from '../parts/icons.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useProjects } from './use-projects.ts';

interface FolderBrowserProps {
  readonly client: Client;
  readonly onChoose: (project: ProjectInfo) => void;
  readonly onClose: () => void;
}

/** Looks for a folder on the machine of the server and opens it as a project. */
export function FolderBrowser({ client, onChoose, onClose }: FolderBrowserProps) {
  const projects = useProjects();
  const [path, setPath] = useState<string>();
  const [refusal, setRefusal] = useState<string>();
  const [isOpening, setOpening] = useState(false);
  const load = useCallback(() => client.listFolders(path), [client, path]);
  const { value, problem } = useLoaded(load);
  const go = (next: string | undefined) => {
    setRefusal(undefined);
    setPath(next);
  };
  const open = async (folder: string) => {
    setOpening(true);
    try {
      const project = await projects?.open(folder);
      if (project !== undefined) onChoose(project);
    } catch (error) {
      setRefusal(errorText(error));
      setOpening(false);
    }
  };
  return (
    <Dialog label="Open folder" onClose={onClose}>
      <div className="folder-browser">
        <p className="folder-path" aria-live="polite">
          {value?.path ?? 'Folders to begin with'}
        </p>
        <ul aria-label="Folders" className="folder-list">
          {value?.parent !== undefined && (
            <li>
              <button type="button" onClick={() => go(value.parent)}>
                <FolderIcon /> <span>.. (up)</span>
              </button>
            </li>
          )}
          {value?.folders.map(folder => (
            <li key={folder.path}>
              <button type="button" onClick={() => go(folder.path)}>
                <FolderIcon /> <span>{folder.name}</span>
                {folder.isProject && <em>project</em>}
              </button>
            </li>
          ))}
          {value?.folders.length === 0 && <li className="folder-empty">No folders in here.</li>}
          {value?.isCut === true && (
            <li className="folder-empty">There are more: open one by its path in a terminal.</li>
          )}
        </ul>
        <DialogActions
          problem={refusal ?? problem}
          label={value?.path === undefined ? 'Open' : `Open ${value.path.split('/').at(-1) ?? ''}`}
          isDisabled={value?.path === undefined || isOpening}
          onAct={() => value?.path !== undefined && void open(value.path)}
          onClose={onClose}
        />
      </div>
    </Dialog>
  );
}
