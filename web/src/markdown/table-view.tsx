import type { Tokens } from 'marked';
import { memo, useState } from 'react';
import { inlineView } from './inline-view.tsx';

const firstRows = 100;

/** A table that scrolls by itself; of a long one the first rows, and the rest on demand. */
export const TableView = memo(function TableView({ table: { header, rows } }: { table: Tokens.Table }) {
  const [isWhole, setWhole] = useState(rows.length <= firstRows + 20);
  const shown = isWhole ? rows : rows.slice(0, firstRows);
  return (
    <div className="table" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} dir="auto" data-align={cell.align}>
                {inlineView(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, index) => (
                <td key={index} dir="auto" data-align={cell.align}>
                  {inlineView(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {!isWhole && (
        <button type="button" className="more" onClick={() => setWhole(true)}>
          Show {rows.length - firstRows} more rows
        </button>
      )}
    </div>
  );
});
