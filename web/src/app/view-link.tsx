import type { MouseEvent, ReactNode } from 'react';
import { type Address, writeAddress } from './address.ts';

interface ViewLinkProps {
  readonly to: Address;
  readonly open: (address: Address) => void;
  readonly isCurrent?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link inside the page: opens its address here, and in another tab as any link does. */
export function ViewLink({ to, open, isCurrent = false, className, children }: ViewLinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    open(to);
  };
  return (
    <a className={className} href={writeAddress(to)} aria-current={isCurrent ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  );
}
