import { createContext, useContext } from 'react';

/** Provides the folder that the shown thread works in. */
export const FolderContext = createContext<string | undefined>(undefined);

/** Returns a function that shortens paths within the folder of the thread to what follows it. */
export function usePathName(): (path: string) => string {
  const folder = useContext(FolderContext);
  return path => pathName(path, folder);
}

/** Returns a path as a person reads it who knows the folder. */
export function pathName(path: string, folder: string | undefined): string {
  return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
