import { dollars } from '../../../src/projections/presentation/wording.ts';
import { addUsageLines, type UsageKey, type UsageLine } from './usage-series.ts';

const heads: Record<UsageKey, string> = { day: 'Day', agent: 'Agent', model: 'Model' };
const count = (value: number) => value.toLocaleString('en');

/** The usage of each day, agent or model, with a total. */
export function UsageTable({ lines, by }: { lines: readonly UsageLine[]; by: UsageKey }) {
  const all = lines.reduce(addUsageLines);
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Usage in numbers">
      <table className="numbers">
        <thead>
          <tr>
            <th scope="col">{heads[by]}</th>
            <th scope="col">Model calls</th>
            <th scope="col">Tokens in</th>
            <th scope="col">Tokens out</th>
            <th scope="col">
              Cost <span className="estimate">(estimated)</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(line => (
            <UsageRow key={line.key} line={line} name={line.key} />
          ))}
        </tbody>
        <tfoot>
          <UsageRow line={all} name="All" />
        </tfoot>
      </table>
    </div>
  );
}

function UsageRow({ line, name }: { line: UsageLine; name: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{count(line.modelCalls)}</td>
      <td>{count(line.inputTokens)}</td>
      <td>{count(line.outputTokens)}</td>
      <td>{line.cost === undefined ? <span title="No cost was reported">–</span> : `≈ ${dollars(line.cost)}`}</td>
    </tr>
  );
}
