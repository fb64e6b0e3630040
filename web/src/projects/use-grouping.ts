import { usePreferences } from '../app/preferences.ts';
import { useProjects } from './use-projects.ts';

/** Returns how the list of conversations is grouped: as the person chose, else by project when there are several. */
export function useGrouping(): 'day' | 'folder' {
  const { groupBy } = usePreferences();
  const projects = useProjects();
  if (groupBy !== 'auto') return groupBy;
  return (projects?.list.length ?? 0) > 1 ? 'folder' : 'day';
}
