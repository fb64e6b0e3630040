import type { ReactNode } from 'react';

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
      {children}
    </svg>
  );
}

export const PlusIcon = () => (
  <Icon>
    <path d="M10 4.5v11M4.5 10h11" />
  </Icon>
);

export const MenuIcon = () => (
  <Icon>
    <path d="M3.5 6h13M3.5 10h13M3.5 14h13" />
  </Icon>
);

export const SendIcon = () => (
  <Icon>
    <path d="M10 16V4.5M5 9.5l5-5 5 5" />
  </Icon>
);

export const StopIcon = () => (
  <Icon>
    <rect x="5.5" y="5.5" width="9" height="9" rx="1.5" className="filled" />
  </Icon>
);

export const DownIcon = () => (
  <Icon>
    <path d="M10 4.5V16M5 11l5 5 5-5" />
  </Icon>
);

export const TrashIcon = () => (
  <Icon>
    <path d="M4.5 6h11M8 6V4.5h4V6M6 6l.6 9.5h6.8L14 6" />
  </Icon>
);

export const EditIcon = () => (
  <Icon>
    <path d="M4.5 15.5l.8-3.3 7.7-7.7 2.5 2.5-7.7 7.7zM11.2 6.3l2.5 2.5" />
  </Icon>
);

export const RetryIcon = () => (
  <Icon>
    <path d="M15.5 10a5.5 5.5 0 1 1-1.8-4.1M15.5 3.5v3.2h-3.2" />
  </Icon>
);

export const PreviousIcon = () => (
  <Icon>
    <path d="M12 5.5L7.5 10l4.5 4.5" />
  </Icon>
);

export const NextIcon = () => (
  <Icon>
    <path d="M8 5.5l4.5 4.5L8 14.5" />
  </Icon>
);

export const Logo = () => (
  <svg className="logo" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M4 11h24M6.5 11v13M25.5 11v13M16 11V5" />
    <circle cx="16" cy="11" r="3" />
  </svg>
);

export const LinkIcon = () => (
  <Icon>
    <path d="M8.5 11.5l3-3M9.5 6l1.2-1.2a3.2 3.2 0 0 1 4.5 4.5L14 10.5M10.5 14l-1.2 1.2a3.2 3.2 0 0 1-4.5-4.5L6 9.5" />
  </Icon>
);
