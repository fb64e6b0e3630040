import { momentText } from '../../../src/projections/presentation/wording.ts';
import { remindAt, useReminders } from './reminders.ts';

const minute = 60_000;
const delays = [
  ['in 10 min', () => Date.now() + 10 * minute],
  ['in 1 hour', () => Date.now() + 60 * minute],
  ['tomorrow', tomorrow],
] as const;

/** Puts a question off: it moves to the end of the inbox, and is shown and notified again at that time. */
export function NotNow({ relayId, onPutOff }: { relayId: string; onPutOff: () => void }) {
  const until = useReminders()[relayId];
  const isPutOff = until !== undefined && until > Date.now();
  return (
    <div className="not-now" role="group" aria-label="Not now">
      <span>
        {isPutOff
          ? `You are reminded at ${momentText(new Date(until).toISOString(), Date.now())}. Instead`
          : 'Not now, remind me'}
      </span>
      {delays.map(([name, time]) => (
        <button
          key={name}
          type="button"
          className="quiet-button"
          onClick={() => {
            remindAt(relayId, time());
            onPutOff();
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Tomorrow at nine. */
function tomorrow(): number {
  const date = new Date();
  date.setDate(date.getDate() + 1);
  return date.setHours(9, 0, 0, 0);
}
