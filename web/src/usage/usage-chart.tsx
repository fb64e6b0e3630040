import { dollars, shortCount } from '../../../src/projections/presentation/wording.ts';
import { type Measure, roundUp, type UsageChart as Chart } from './usage-series.ts';

const size = { width: 760, height: 240, left: 84, bottom: 24, top: 10 };
const gap = 0.28;

/** Formats an amount of the chart; costs are estimates. */
export function amountText(amount: number, measure: Measure): string {
  return measure === 'cost' ? `≈ ${dollars(amount)}` : shortCount(amount);
}

/** The bars of a period, one for each day, split by agent or model. */
export function UsageChart({ chart, measure, label }: { chart: Chart; measure: Measure; label: string }) {
  const { bars, series } = chart;
  const top = roundUp(chart.most);
  const inner = { width: size.width - size.left, height: size.height - size.bottom - size.top };
  const y = (amount: number) => size.top + inner.height * (1 - amount / top);
  const step = inner.width / Math.max(1, bars.length);
  const every = Math.ceil(bars.length / 8);
  return (
    <figure className="usage-figure">
      <svg className="usage-chart" viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={label}>
        {[0, top / 2, top].map(amount => (
          <g key={amount} className="usage-tick">
            <line x1={size.left} x2={size.width} y1={y(amount)} y2={y(amount)} />
            <text x={size.left - 8} y={y(amount) + 4} textAnchor="end">
              {measure === 'cost' ? dollars(amount) : shortCount(amount)}
            </text>
          </g>
        ))}
        {bars.map(({ day, parts, total }, index) => {
          let below = 0;
          const x = size.left + step * (index + gap / 2);
          return (
            <g key={day} className="usage-bar">
              <title>{`${day}: ${amountText(total, measure)}`}</title>
              <rect
                className="usage-day"
                x={size.left + step * index}
                y={size.top}
                width={step}
                height={inner.height}
              />
              {parts.map((part, at) => {
                const from = below;
                below += part;
                if (part === 0) return null;
                const height = Math.max(1, y(from) - y(below));
                return (
                  <rect
                    key={series[at]}
                    data-series={at}
                    x={x}
                    y={y(from) - height}
                    width={step * (1 - gap)}
                    height={height}
                  />
                );
              })}
              {index % every === 0 && (
                <text className="usage-date" x={x + (step * (1 - gap)) / 2} y={size.height - 6} textAnchor="middle">
                  {day.slice(5)}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption>
        <ul className="usage-legend" aria-label="Legend">
          {series.map((name, index) => (
            <li key={name}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect data-series={index} width="10" height="10" rx="2.5" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  );
}
