import { createContext, useContext } from 'react';
import { pathName } from '../../../src/projections/presentation/path-name.ts';

/** Provides the folder that the shown thread works in. */
export const FolderContext = createContext<string | undefined>(undefined);

/** Returns a function that shortens paths within the folder of the thread to what follows it. */
export function usePathName(): (path: string) => string {
  const folder = useContext(FolderContext);
  return path => pathName(path, folder);
}
