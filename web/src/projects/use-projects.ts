import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import * as z from 'zod';
import type { Client } from '../../../src/client/client.ts';
import { SingletreeError } from '../../../src/base/singletree-error.ts';
import type { ProjectInfo } from '../../../src/protocols/http-folders.ts';
import { readStored, writeStored } from '../parts/stored-value.ts';

/** The projects of the server, and the one in which new conversations start. */
export interface Projects {
  readonly list: readonly ProjectInfo[];
  readonly current: ProjectInfo | undefined;
  /** The project whose configuration is to be decided about. */
  readonly asked: ProjectInfo | undefined;
  /** Opens a folder and asks whether to trust it; rejects when it cannot be opened. */
  readonly open: (folder: string) => Promise<ProjectInfo>;
  /** Selects an open project for new conversations. */
  readonly choose: (project: ProjectInfo) => void;
  /** Asks about the configuration of a project; nothing closes the question. */
  readonly ask: (project: ProjectInfo | undefined) => void;
  /** Trusts a project as its lines describe it. */
  readonly trust: (project: ProjectInfo) => Promise<void>;
}

/** Provides the projects; undefined on a server that has none. */
export const ProjectsContext = createContext<Projects | undefined>(undefined);

export const useProjects = (): Projects | undefined => useContext(ProjectsContext);

const storedName = 'project';

/** Loads the projects of the server; undefined until then, and on a server without projects. */
export function useLoadedProjects(client: Client, isLive: boolean): Projects | undefined {
  const [list, setList] = useState<readonly ProjectInfo[]>();
  const [chosen, setChosen] = useState(() => readStored(storedName, z.string()));
  const [asked, ask] = useState<ProjectInfo>();

  const put = useCallback((project: ProjectInfo) => {
    setList((before = []) => [project, ...before.filter(({ folder }) => folder !== project.folder)]);
  }, []);
  const choose = useCallback(({ folder }: ProjectInfo) => {
    setChosen(folder);
    writeStored(storedName, folder);
  }, []);
  const open = useCallback(
    async (folder: string) => {
      const project = await client.openProject(folder);
      put(project);
      if (project.trust !== undefined) ask(project);
      return project;
    },
    [client, put],
  );
  const trust = useCallback(
    async ({ folder, trust: shown }: ProjectInfo) => {
      const trusted = client.trustProject({ folder, lines: shown?.lines ?? [] });
      put(
        await trusted.catch(async (error: unknown) => {
          // The question is asked again with what the file says now.
          if (SingletreeError.is(error, 'trust_changed')) ask(await client.openProject(folder));
          throw error;
        }),
      );
    },
    [client, put],
  );
  useEffect(() => {
    // A server that cannot be reached is shown as such elsewhere.
    client.listProjects().then(setList, () => {});
  }, [client, isLive]);

  return useMemo(() => {
    if (list === undefined || list.length === 0) return undefined;
    const current = list.find(({ folder }) => folder === chosen) ?? list.find(({ isStart }) => isStart) ?? list[0];
    return { list, current, asked, open, choose, ask, trust };
  }, [list, chosen, asked, open, choose, trust]);
}
