import { useCallback, useMemo } from 'react';
import type { BaseInfo } from '../../../src/protocols/http-folders.ts';
import { visibleText } from '../code/visible-text.ts';
import { DiffCounts } from '../diff/diff-view.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { ViewProblem, ViewState } from '../parts/view-state.tsx';
import { FileRow } from './file-row.tsx';
import type { ThreadScope } from './thread-scope.ts';

type BaseFile = BaseInfo['files'][number];

/**
 * Lists the files of the thread's folder that differ from the base commit of its work, regardless of who changed them.
 */
export function BaseFiles({ scope: { client, threadId } }: { scope: ThreadScope }) {
  const { value, problem, reload } = useLoaded(useCallback(() => client.baseChanges(threadId), [client, threadId]));
  const files = useMemo(() => (value?.files ?? []).map(file => ({ file, changes: toChanges(file) })), [value]);
  if (problem !== undefined) return <ViewProblem problem={problem} onRetry={reload} />;
  if (value === undefined) return <ViewState title="Comparing the folder…" />;
  return (
    <>
      <p className="changes-note">
        <code>{visibleText(value.folder)}</code> compared with {baseName(value.base)}, whoever changed it.{' '}
        <button type="button" className="code-button" onClick={reload}>
          Compare again
        </button>
      </p>
      {files.length === 0 && <ViewState title="Nothing differs." />}
      <ul className="changes-files" aria-label="Changed files">
        {files.map(({ file, changes }) =>
          changes === undefined ? (
            <PlainRow key={file.path} file={file} />
          ) : (
            <FileRow key={file.path} group={{ path: file.path, changes }} />
          ),
        )}
      </ul>
      {value.more > 0 && <p className="changes-note">{value.more} more files differ.</p>}
    </>
  );
}

/** A file whose lines are not shown. */
function PlainRow({ file: { path, added, removed } }: { file: BaseFile }) {
  return (
    <li className="changes-plain">
      <span className="diff-path">{visibleText(path)}</span>
      {added !== undefined && <DiffCounts added={added} removed={removed ?? 0} />}
      <span className="changes-note">{added === undefined ? 'not text' : 'too large to show'}</span>
    </li>
  );
}

function toChanges({ path, action, patch }: BaseFile) {
  return patch === undefined ? undefined : [{ path, action, patch }];
}

function baseName({ commit, branch }: BaseInfo['base']): string {
  if (commit === undefined) return 'an empty repository';
  const short = commit.slice(0, 9);
  return branch === undefined ? `the last commit, ${short}` : `${short}, where it left ${branch}`;
}
