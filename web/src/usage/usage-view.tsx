import '../styles/views.css';
import '../styles/usage.css';
import { useCallback, useMemo, useState } from 'react';
import type { PageProps } from '../app/page.ts';
import { TopBar } from '../app/top-bar.tsx';
import { Choice } from '../parts/choice.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { ViewProblem, ViewState } from '../parts/view-state.tsx';
import { amountText, UsageChart } from './usage-chart.tsx';
import { buildChart, lastDays, linesBy, type Measure, type UsageKey } from './usage-series.ts';
import { UsageTable } from './usage-table.tsx';

const periods = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const;
const measures = [
  ['tokens', 'Tokens'],
  ['cost', 'Cost'],
] as const;
const keys = [
  ['agent', 'Agent'],
  ['model', 'Model'],
  ['day', 'Day'],
] as const;

/** Cost and tokens of all conversations by day, agent and model: a chart and a table. */
export function UsageView({ client, onMenu }: Pick<PageProps, 'client' | 'onMenu'>) {
  const [period, setPeriod] = useState<(typeof periods)[number][0]>('30');
  const [measure, setMeasure] = useState<Measure>('tokens');
  const [by, setBy] = useState<UsageKey>('agent');
  const days = useMemo(() => lastDays(Number(period), Date.now()), [period]);
  const load = useCallback(
    () => client.sumUsage({ by: ['day', 'agent', 'model'], ...(days[0] !== undefined && { from: days[0] }) }),
    [client, days],
  );
  const { value: rows, problem, reload } = useLoaded(load);
  return (
    <main className="main">
      <TopBar title="Usage" onMenu={onMenu} />
      <div className="scroll">
        <div className="view-column">
          <div className="view-controls">
            <Choice label="Period" options={periods} value={period} onChange={setPeriod} />
            <Choice label="Chart" options={measures} value={measure} onChange={setMeasure} />
            <Choice label="By" options={keys} value={by} onChange={setBy} />
          </div>
          {problem !== undefined && <ViewProblem problem={problem} onRetry={reload} />}
          {rows === undefined && problem === undefined && <ViewState title="Loading…" />}
          {rows?.length === 0 && <ViewState title="Nothing was used in this period." />}
          {rows !== undefined && rows.length > 0 && <Shown rows={rows} days={days} by={by} measure={measure} />}
        </div>
      </div>
    </main>
  );
}

interface ShownProps {
  readonly rows: Parameters<typeof buildChart>[0];
  readonly days: readonly string[];
  readonly by: UsageKey;
  readonly measure: Measure;
}

function Shown({ rows, days, by, measure }: ShownProps) {
  const series = by === 'model' ? 'model' : 'agent';
  const chart = useMemo(() => buildChart(rows, { days, by: series, measure }), [rows, days, series, measure]);
  const lines = useMemo(() => linesBy(rows, by), [rows, by]);
  const all = chart.bars.reduce((sum, { total }) => sum + total, 0);
  const name = measure === 'cost' ? 'Estimated cost' : 'Tokens';
  const label = `${name} of each day by ${series}: ${amountText(all, measure)} in ${days.length} days. The table has the numbers.`;
  return (
    <>
      <UsageChart chart={chart} measure={measure} label={label} />
      <UsageTable lines={lines} by={by} />
      <p className="view-note">
        Days are in UTC. Costs are estimates: as agents report them, or from list prices; calls of unknown price are not
        in them.
      </p>
    </>
  );
}
