import type { Address } from './address.ts';
import { TopBar } from './top-bar.tsx';
import { ViewLink } from './view-link.tsx';

interface UnknownAddressProps {
  readonly path: string;
  readonly open: (address: Address) => void;
  readonly onMenu: () => void;
}

/** The page of an address that nothing has. */
export function UnknownAddress({ path, open, onMenu }: UnknownAddressProps) {
  return (
    <main className="main">
      <TopBar title="Not found" onMenu={onMenu} />
      <div className="empty">
        <h2>There is no page here</h2>
        <p>
          Nothing has the address <code>{path}</code>. The link may be old, or mistyped.
        </p>
        <p>
          <ViewLink className="button primary" to={{ section: 'start' }} open={open}>
            New conversation
          </ViewLink>
        </p>
      </div>
    </main>
  );
}
