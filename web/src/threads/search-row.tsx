import { setPreferences } from '../app/preferences.ts';
import { FolderIcon, SearchIcon } from '../parts/icons.tsx';
import { useGrouping } from '../projects/use-grouping.ts';

interface SearchRowProps {
  readonly typed: string;
  readonly setTyped: (typed: string) => void;
}

/** The search of the list, and how it is grouped. */
export function SearchRow({ typed, setTyped }: SearchRowProps) {
  const groupBy = useGrouping();
  return (
    <div className="search-row">
      <div className="search-box">
        <SearchIcon />
        <input
          type="search"
          className="field"
          aria-label="Search conversations"
          placeholder="Search"
          value={typed}
          onChange={event => setTyped(event.target.value)}
          onKeyDown={event => {
            if (event.key === 'Escape') setTyped('');
          }}
        />
      </div>
      <button
        type="button"
        className="icon-button"
        aria-label="Group by folder"
        title={groupBy === 'folder' ? 'Group by day' : 'Group by folder'}
        aria-pressed={groupBy === 'folder'}
        onClick={() => setPreferences({ groupBy: groupBy === 'folder' ? 'day' : 'folder' })}
      >
        <FolderIcon />
      </button>
    </div>
  );
}
