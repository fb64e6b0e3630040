import { useEffect } from 'react';
import type { UsageTotal } from '../../src/projections/thread-view-item.ts';
import { MenuIcon } from './icons.tsx';
import { shortCount } from './wording.ts';

/** The head of a page: the way to the list, the title and what was used so far. */
export function TopBar({ title, usage, onMenu }: { title: string; usage?: UsageTotal; onMenu: () => void }) {
  useEffect(() => {
    document.title = `${title} · Singletree`;
  }, [title]);
  const total = usage ? usage.inputTokens + usage.outputTokens : 0;
  return (
    <header className="top-bar">
      <button type="button" className="icon-button menu" aria-label="Show the list of conversations" onClick={onMenu}>
        <MenuIcon />
      </button>
      <h2>{title}</h2>
      {usage && total > 0 && (
        <span className="usage" title={`${usage.inputTokens} tokens in, ${usage.outputTokens} tokens out`}>
          {shortCount(total)} tokens{usage.cost !== undefined && ` · $${usage.cost.toFixed(usage.cost < 1 ? 3 : 2)}`}
        </span>
      )}
    </header>
  );
}
