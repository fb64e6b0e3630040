import '../styles/views.css';
import '../styles/sessions.css';
import { useCallback, useMemo, useState } from 'react';
import type { SessionInfo } from '../../../src/protocols/http-sessions.ts';
import type { Address } from '../app/address.ts';
import type { PageProps } from '../app/page.ts';
import { TopBar } from '../app/top-bar.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { ViewProblem, ViewState } from '../parts/view-state.tsx';
import { ProjectList } from './project-list.tsx';
import { formatBytes, groupByProject } from './project-sessions.ts';
import { type ImportProgress, useSessionImport } from './use-session-import.ts';

type SessionsViewProps = Pick<PageProps, 'client' | 'onMenu'> & { readonly open: (address: Address) => void };

/** The sessions of other agents on the machine of the server: by project, to be chosen and imported. */
export function SessionsView({ client, onMenu, open }: SessionsViewProps) {
  const load = useCallback(() => client.listSessions(), [client]);
  const { value: sessions, problem, reload } = useLoaded(load);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [skipSecrets, setSkipSecrets] = useState(false);
  const { progress, start, stop } = useSessionImport(client, () => {
    setChosen(new Set());
    reload();
  });
  const isBusy = progress?.isRunning === true;
  const projects = useMemo(() => groupByProject(sessions ?? []), [sessions]);
  const selected = sessions?.filter(({ id }) => chosen.has(id)) ?? [];
  const choose = (changed: readonly SessionInfo[], isChosen: boolean) =>
    setChosen(before => {
      const next = new Set(before);
      for (const { id } of changed)
        if (isChosen) next.add(id);
        else next.delete(id);
      return next;
    });
  return (
    <main className="main">
      <TopBar title="Bring your history" onMenu={onMenu} />
      <div className="scroll">
        <div className="view-column sessions">
          <p className="view-note">
            Sessions of your other agents become conversations here: listed under their own days, searched, and
            continued with any agent. Their files are only read.
          </p>
          {problem !== undefined && <ViewProblem problem={problem} onRetry={reload} />}
          {sessions === undefined && problem === undefined && <ViewState title="Looking for sessions…" />}
          {sessions?.length === 0 && (
            <ViewState title="No sessions were found. The command singletree import reads those at another path." />
          )}
          {sessions !== undefined && sessions.length > 0 && (
            <>
              <div className="session-actions">
                <button
                  type="button"
                  className="button primary"
                  disabled={isBusy || selected.length === 0}
                  onClick={() => void start(selected, skipSecrets)}
                >
                  {selected.length === 0
                    ? 'Choose sessions to import'
                    : `Import ${selected.length === 1 ? '1 session' : `${selected.length} sessions`} (${formatBytes(selected)})`}
                </button>
                <button
                  type="button"
                  className="button"
                  disabled={isBusy}
                  onClick={() =>
                    choose(
                      sessions.filter(({ status }) => status !== 'imported'),
                      true,
                    )
                  }
                >
                  Choose all
                </button>
                <label>
                  <input
                    type="checkbox"
                    disabled={isBusy}
                    checked={skipSecrets}
                    onChange={event => setSkipSecrets(event.target.checked)}
                  />{' '}
                  Replace known secrets
                </label>
              </div>
              {progress !== undefined && <Progress progress={progress} onStop={stop} />}
              {projects.map(project => (
                <ProjectList
                  key={project.folder}
                  project={project}
                  chosen={chosen}
                  isBusy={isBusy}
                  onChoose={choose}
                  open={open}
                />
              ))}
            </>
          )}
        </div>
      </div>
    </main>
  );
}

function Progress({ progress, onStop }: { progress: ImportProgress; onStop: () => void }) {
  const { isRunning, done, all, share, secrets, problems } = progress;
  return (
    <div className="session-progress">
      <progress max={1} value={share} aria-label="Imported" />
      <p role="status">
        {isRunning ? `${done} of ${all} imported…` : `${done - problems.length} of ${all} imported.`}
        {secrets > 0 && ` Replaced ${secrets === 1 ? '1 secret' : `${secrets} secrets`}.`}
      </p>
      {isRunning && (
        <button type="button" className="quiet-button" onClick={onStop}>
          Stop
        </button>
      )}
      {problems.length > 0 && (
        <ul role="alert">
          {problems.map(({ session: { id, title = id }, problem }) => (
            <li key={id}>
              {title}: {problem}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
