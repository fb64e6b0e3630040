import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import type { Address } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { setPreferences } from '../app/preferences.ts';
import { Dialog } from '../parts/dialog.tsx';
import { MarkedText } from '../parts/marked-text.tsx';
import { useSearch } from '../threads/use-search.ts';
import { useThreads } from '../threads/use-threads.ts';
import { choicesFor } from './palette-choices.ts';

interface PaletteProps extends PageProps {
  readonly open: (address: Address) => void;
  readonly onHelp: () => void;
  readonly onSettings: () => void;
  readonly onClose: () => void;
}

/** Finds commands, conversations, messages and agents by typing; arrow keys choose, Enter opens. */
export function Palette({ client, agents, open, onHelp, onSettings, onClose }: PaletteProps) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const { threads } = useThreads();
  const found = useSearch(client, typed);
  const id = useId();
  const choices = useMemo(
    () =>
      choicesFor({
        typed,
        threads,
        found,
        agents,
        open,
        onHelp,
        onSettings,
        setTheme: theme => setPreferences({ theme }),
      }),
    [typed, threads, found, agents, open, onHelp, onSettings],
  );
  const chosen = Math.min(at, choices.length - 1);
  const run = (index: number) => {
    const choice = choices[index];
    if (choice === undefined) return;
    onClose();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = (chosen + step + choices.length) % Math.max(1, choices.length);
      setAt(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      run(chosen);
    }
  };
  return (
    <Dialog label="Find" look="palette" onClose={onClose}>
      <input
        className="palette-field"
        role="combobox"
        aria-label="Find a command, conversation or message"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={choices.length === 0 ? undefined : `${id}-${chosen}`}
        placeholder="Find a command, conversation or message"
        value={typed}
        autoFocus
        onChange={event => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} className="palette-list" role="listbox" aria-label="Results" tabIndex={-1}>
        {choices.map((choice, index) => (
          <div
            key={choice.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="palette-choice"
            onPointerMove={() => setAt(index)}
            onClick={() => run(index)}
          >
            <span className="palette-name">
              <bdi>
                <MarkedText text={choice.name} words={typed} />
              </bdi>
            </span>
            {choice.detail !== undefined && <span className="palette-detail">{choice.detail}</span>}
            <span className="palette-kind">{choice.kind}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && <p className="list-notice">Nothing found.</p>}
    </Dialog>
  );
}
