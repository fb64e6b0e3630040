import { momentText } from '../../../src/projections/presentation/wording.ts';

/** When a message came, in short; the whole date is its tooltip. */
export function MessageTime({ at, detail = '' }: { at: string | undefined; detail?: string }) {
  if (at === undefined) return null;
  return (
    <span className="message-time" dir="ltr" title={new Date(at).toLocaleString()}>
      <time dateTime={at}>{momentText(at, Date.now())}</time>
      {detail !== '' && ` · ${detail}`}
    </span>
  );
}
