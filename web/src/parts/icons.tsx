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

export const FolderIcon = () => (
  <Icon>
    <path d="M3 6a1.5 1.5 0 0 1 1.5-1.5h3.2l1.8 2h6A1.5 1.5 0 0 1 17 8v6.5a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 3 14.5z" />
  </Icon>
);

export const KeyIcon = () => (
  <Icon>
    <path d="M10.5 9.5 16.5 3.5M14 6l2 2M7 16.5a3.5 3.5 0 1 1 0-7 3.5 3.5 0 0 1 0 7z" />
  </Icon>
);

export const RulesIcon = () => (
  <Icon>
    <path d="M10 3 4 5.5v4c0 3.7 2.5 6.3 6 7.5 3.5-1.2 6-3.8 6-7.5v-4zM7.5 10l1.8 1.8 3.400-3.600" />
  </Icon>
);

export const GripIcon = () => (
  <Icon>
    <path d="M7.5 5.5h.01M12.5 5.5h.01M7.5 10h.01M12.5 10h.01M7.5 14.5h.01M12.5 14.5h.01" />
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

export const AttachIcon = () => (
  <Icon>
    <path d="M15.5 9.5l-5.6 5.6a3.4 3.4 0 0 1-4.8-4.8l6-6a2.3 2.3 0 0 1 3.2 3.2l-5.9 5.9a1.1 1.1 0 0 1-1.6-1.6l5.3-5.3" />
  </Icon>
);

export const LaterIcon = () => (
  <Icon>
    <path d="M4 5.5h12M4 10h7M4 14.5h5M14.5 16v-6M12 12.5l2.5-2.5 2.5 2.5" />
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

export const CloseIcon = () => (
  <Icon>
    <path d="M5.5 5.5l9 9M14.5 5.5l-9 9" />
  </Icon>
);

export const SearchIcon = () => (
  <Icon>
    <path d="M8.8 14.1a5.3 5.3 0 1 0 0-10.6 5.3 5.3 0 0 0 0 10.6zM12.7 12.7l3.8 3.8" />
  </Icon>
);

export const InboxIcon = () => (
  <Icon>
    <path d="M3.5 11.5l2.2-6.5h8.6l2.2 6.5v4h-13zM3.5 11.5h4l1 2h3l1-2h4" />
  </Icon>
);

export const MoreIcon = () => (
  <Icon>
    <path d="M5 10h.01M10 10h.01M15 10h.01" className="thick" />
  </Icon>
);

export const SettingsIcon = () => (
  <Icon>
    <path d="M3.5 6h7M14.5 6h2M3.5 14h2M9.5 14h7M12.5 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7.5 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z" />
  </Icon>
);

export const HelpIcon = () => (
  <Icon>
    <path d="M7.5 7.6a2.5 2.5 0 1 1 3.6 2.3c-.8.4-1.1.9-1.1 1.8M10 14.5h.01" />
  </Icon>
);

export const BackIcon = () => (
  <Icon>
    <path d="M16 10H4.5M9.5 5l-5 5 5 5" />
  </Icon>
);

export const PinIcon = () => (
  <Icon>
    <path d="M7.5 3.5h5l-.6 5 2.6 3h-9l2.6-3zM10 11.5v5" />
  </Icon>
);

export const CopyIcon = () => (
  <Icon>
    <path d="M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3" />
  </Icon>
);

export const CompareIcon = () => (
  <Icon>
    <path d="M4 4.5h4.5v11H4zM11.5 4.5H16v11h-4.5z" />
  </Icon>
);

export const UsageIcon = () => (
  <Icon>
    <path d="M4.5 16v-5M10 16V4.5M15.5 16V8.5" />
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
