import { HelpIcon, SettingsIcon } from '../parts/icons.tsx';

interface SidebarFootProps {
  /** Whether archived conversations are shown; undefined when there are none. */
  readonly archived: boolean | undefined;
  readonly onArchived: (shown: boolean) => void;
  readonly onSettings: () => void;
  readonly onHelp: () => void;
}

/** The buttons below the list of conversations. */
export function SidebarFoot({ archived, onArchived, onSettings, onHelp }: SidebarFootProps) {
  return (
    <div className="sidebar-foot">
      {archived !== undefined && (
        <button type="button" className="quiet-button" aria-pressed={archived} onClick={() => onArchived(!archived)}>
          {archived ? 'Hide archived' : 'Show archived'}
        </button>
      )}
      <span className="spacer" />
      <button
        type="button"
        className="icon-button"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={onHelp}
      >
        <HelpIcon />
      </button>
      <button type="button" className="icon-button" aria-label="Settings" title="Settings" onClick={onSettings}>
        <SettingsIcon />
      </button>
    </div>
  );
}
