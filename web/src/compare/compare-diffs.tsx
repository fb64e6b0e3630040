import { useCallback, useMemo, useState } from 'react';
import type { Client } from '../../../src/client/client.ts';
import { FileRow } from '../changes/file-row.tsx';
import { visibleText } from '../code/visible-text.ts';
import { DiffCounts, DiffView } from '../diff/diff-view.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { type Compared, getName } from './compared.ts';

/** Shows the changes of each agent in columns; each file expands to its diff. */
export function CompareDiffs({ client, columns }: { client: Client; columns: readonly Compared[] }) {
  return (
    <section className="compare-diffs" aria-label="Diffs">
      {columns.map(column => (
        <div key={column.threadId} className="compare-diff">
          <h3>{getName(column)}</h3>
          <ColumnFiles client={client} column={column} />
        </div>
      ))}
    </section>
  );
}

function ColumnFiles({ client, column }: { client: Client; column: Compared }) {
  const { threadId, worktree, changes = [], summary } = column;
  if (summary === undefined) return <p className="view-note">Loading…</p>;
  const count = worktree?.files.length ?? changes.length;
  if (count === 0) return <p className="view-note">No files changed.</p>;
  return (
    <ul className="changes-files" aria-label={`Files changed by ${getName(column)}`}>
      {worktree === undefined
        ? changes.map(group => <FileRow key={group.path} group={group} />)
        : worktree.files.map(file => (
            <WorktreeFile key={`${file.path} ${file.added} ${file.removed}`} {...{ client, threadId, file }} />
          ))}
    </ul>
  );
}

interface WorktreeFileProps {
  readonly client: Client;
  readonly threadId: string;
  readonly file: NonNullable<Compared['worktree']>['files'][number];
}

const actionNames = { add: 'new', update: '', delete: 'deleted' } as const;

function WorktreeFile({ client, threadId, file }: WorktreeFileProps) {
  const [isOpen, setOpen] = useState(false);
  const { path, action, added, removed } = file;
  return (
    <li>
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="diff-path">{visibleText(path)}</span>{' '}
          {action !== 'update' && <span className="diff-action">{actionNames[action]}</span>}{' '}
          {added === undefined ? (
            <span className="diff-action">binary</span>
          ) : (
            <DiffCounts added={added} removed={removed ?? 0} />
          )}
        </summary>
        {isOpen && added === undefined && <p className="diff-note">A binary file has no lines to show.</p>}
        {isOpen && added !== undefined && <FilePatch client={client} threadId={threadId} file={file} />}
      </details>
    </li>
  );
}

function FilePatch({ client, threadId, file: { path, action } }: WorktreeFileProps) {
  const load = useCallback(() => client.readPatch(threadId, path), [client, threadId, path]);
  const { value, problem } = useLoaded(load);
  const changes = useMemo(() => (value ? [{ path, action, patch: value.patch }] : []), [value, path, action]);
  if (problem !== undefined)
    return (
      <p className="notice" role="alert" data-level="error">
        {problem}
      </p>
    );
  if (value === undefined) return <p className="view-note">Loading…</p>;
  return (
    <>
      <DiffView changes={changes} />
      {value.isCut === true && <p className="diff-note">The diff is longer: only its beginning is shown.</p>}
    </>
  );
}
