import { useState } from 'react';
import type { SessionInfo } from '../../../src/protocols/http-sessions.ts';
import type { Address } from '../app/address.ts';
import { ViewLink } from '../app/view-link.tsx';
import { formatBytes, type Project } from './project-sessions.ts';

const firstShown = 20;

interface ProjectListProps {
  readonly project: Project;
  readonly chosen: ReadonlySet<string>;
  readonly isBusy: boolean;
  readonly onChoose: (sessions: readonly SessionInfo[], isChosen: boolean) => void;
  readonly open: (address: Address) => void;
}

/** The sessions of one folder, with a box for each that can be imported. */
export function ProjectList({ project: { folder, sessions }, chosen, isBusy, onChoose, open }: ProjectListProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? sessions : sessions.slice(0, firstShown);
  const importable = sessions.filter(({ status }) => status !== 'imported');
  const name = folder === '' ? 'An unknown folder' : folder;
  return (
    <section className="session-project">
      <h2>
        <label>
          <input
            type="checkbox"
            disabled={isBusy || importable.length === 0}
            checked={importable.length > 0 && importable.every(({ id }) => chosen.has(id))}
            onChange={event => onChoose(importable, event.target.checked)}
          />
          <span className="session-folder">{name}</span>
        </label>
        <span className="session-facts">
          {sessions.length === 1 ? '1 session' : `${sessions.length} sessions`}, {formatBytes(sessions)}
        </span>
      </h2>
      <ul aria-label={`Sessions of ${name}`}>
        {shown.map(session => (
          <li key={session.id}>
            <label>
              <input
                type="checkbox"
                disabled={isBusy || session.status === 'imported'}
                checked={chosen.has(session.id)}
                onChange={event => onChoose([session], event.target.checked)}
              />
              <span className="session-title">{session.title ?? session.id}</span>
            </label>
            <span className="session-facts">
              {session.agentId} · {session.updatedAt.slice(0, 10)} · {formatBytes([session])}
              {session.threadId !== undefined && (
                <>
                  {' · '}
                  <ViewLink to={{ section: 'thread', threadId: session.threadId }} open={open}>
                    {session.status === 'changed' ? 'imported, has more' : 'imported'}
                  </ViewLink>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {shown.length < sessions.length && (
        <button type="button" className="quiet-button" onClick={() => setWhole(true)}>
          Show {sessions.length - shown.length} more
        </button>
      )}
    </section>
  );
}
