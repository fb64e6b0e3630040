import type { ReactNode } from 'react';
import type { UsageTotal } from '../../../src/projections/reading/thread-reading.ts';
import { MenuIcon } from '../parts/icons.tsx';
import { useTitle } from './page-title.ts';
import { dollars, shortCount } from '../../../src/projections/presentation/wording.ts';

interface TopBarProps {
  readonly title: string;
  readonly usage?: UsageTotal;
  /** The links to the views of what is shown. */
  readonly tabs?: ReactNode;
  readonly onMenu: () => void;
  /** Further actions, shown next to the usage. */
  readonly children?: ReactNode;
}

/** The head of a page: the menu button, the title, the usage, and the links to its views. */
export function TopBar({ title, usage, tabs, onMenu, children }: TopBarProps) {
  useTitle(title);
  const total = usage ? usage.inputTokens + usage.outputTokens : 0;
  return (
    <header className="top-bar">
      <button type="button" className="icon-button menu" aria-label="Show the list of conversations" onClick={onMenu}>
        <MenuIcon />
      </button>
      <h1>{title}</h1>
      {usage && total > 0 && (
        <span className="usage" title={`${usage.inputTokens} tokens in, ${usage.outputTokens} tokens out`}>
          {shortCount(total)} tokens{usage.cost !== undefined && ` · ${dollars(usage.cost)}`}
        </span>
      )}
      {children}
      {tabs}
    </header>
  );
}
