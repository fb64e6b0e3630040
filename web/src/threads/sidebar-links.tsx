import { type Address, writeAddress } from '../app/address.ts';
import { CompareIcon, InboxIcon, KeyIcon, PlusIcon, RulesIcon, UsageIcon } from '../parts/icons.tsx';
import { useProjects } from '../projects/use-projects.ts';

interface SidebarLinksProps {
  readonly address: Address;
  /** How many questions wait for the person. */
  readonly waiting: number;
  readonly open: (address: Address) => void;
}

/** The way to everything that is no conversation. */
export function SidebarLinks({ address, waiting, open }: SidebarLinksProps) {
  const hasProjects = useProjects() !== undefined;
  return (
    <div className="sidebar-links">
      <SidebarLink address={{ section: 'start' }} isCurrent={address.section === 'start'} open={open}>
        <PlusIcon />
        New conversation
      </SidebarLink>
      <SidebarLink address={{ section: 'inbox' }} isCurrent={address.section === 'inbox'} open={open}>
        <InboxIcon />
        Inbox
        {waiting > 0 && (
          <span className="badge" role="img" aria-label={`${waiting} waiting`}>
            {waiting}
          </span>
        )}
      </SidebarLink>
      <SidebarLink address={{ section: 'compare', threads: [] }} isCurrent={address.section === 'compare'} open={open}>
        <CompareIcon />
        Compare
      </SidebarLink>
      <SidebarLink address={{ section: 'usage' }} isCurrent={address.section === 'usage'} open={open}>
        <UsageIcon />
        Usage
      </SidebarLink>
      {hasProjects && (
        <>
          <SidebarLink address={{ section: 'models' }} isCurrent={address.section === 'models'} open={open}>
            <KeyIcon />
            Models and keys
          </SidebarLink>
          <SidebarLink address={{ section: 'rules' }} isCurrent={address.section === 'rules'} open={open}>
            <RulesIcon />
            Rules
          </SidebarLink>
        </>
      )}
    </div>
  );
}

interface SidebarLinkProps {
  readonly address: Address;
  readonly isCurrent: boolean;
  readonly open: (address: Address) => void;
  readonly children: React.ReactNode;
}

function SidebarLink({ address, isCurrent, open, children }: SidebarLinkProps) {
  return (
    <a
      className="sidebar-link"
      href={writeAddress(address)}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        open(address);
      }}
    >
      {children}
    </a>
  );
}
