import { memo } from 'react';
import type { DiffLine } from '../../../src/projections/activity/file-diff.ts';
import { LineText } from './line-text.tsx';
import { useLineRange } from './use-line-range.ts';

export interface LinesProps {
  readonly lines: readonly DiffLine[];
  /** Called with lines that a person wants to comment on. */
  readonly onComment: ((lines: readonly DiffLine[]) => void) | undefined;
}

/** The lines of a hunk below each other. */
export const UnifiedLines = memo(function UnifiedLines({ lines, onComment }: LinesProps) {
  const { isChosen, handlers } = useLineRange(lines, onComment);
  return (
    <table className="diff-lines" data-commentable={onComment !== undefined} {...handlers}>
      <tbody>
        {lines.map((line, index) => (
          // Lines have no other identity, and a diff never changes.
          // oxlint-disable-next-line no-array-index-key
          <tr
            key={index}
            data-line={line.kind}
            data-chosen={isChosen(index) || undefined}
            tabIndex={onComment && (index === 0 ? 0 : -1)}
          >
            <td className="diff-gutter" data-gutter={index} data-number={line.old ?? ''} />
            <td className="diff-gutter" data-gutter={index} data-number={line.new ?? ''} />
            <td className="diff-text">
              <LineText line={line} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
});
