import type { GrantInfo } from '../../../src/protocols/http-settings.ts';
import type { Address } from '../app/address.ts';
import { ViewLink } from '../app/view-link.tsx';
import { RevokeButton } from './revoke-button.tsx';

interface GrantsProps {
  readonly grants: readonly GrantInfo[];
  readonly open: (address: Address) => void;
  readonly onRevoke: (grant: GrantInfo) => Promise<void>;
}

/** The permissions that users granted for more than one call, with the conversation of each. */
export function Grants({ grants, open, onRevoke }: GrantsProps) {
  return (
    <section aria-labelledby="grants">
      <h2 id="grants">What you allowed for longer</h2>
      {grants.length === 0 && <p className="settings-facts">Nothing: every answer was for one call.</p>}
      <ul className="settings-rows">
        {grants.map(grant => (
          <li key={`${grant.threadId} ${grant.relayId}`} aria-label={grant.covers}>
            <div className="settings-row">
              <span>
                <code>{grant.covers}</code>
                <span className="settings-facts">
                  in{' '}
                  <ViewLink to={{ section: 'thread', threadId: grant.threadId }} open={open}>
                    {grant.title ?? 'Untitled'}
                  </ViewLink>
                  {grant.by !== undefined && ` · by ${grant.by}`}
                  {grant.at !== undefined && ` · ${new Date(grant.at).toLocaleString()}`}
                </span>
              </span>
              <RevokeButton onRevoke={() => onRevoke(grant)} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
