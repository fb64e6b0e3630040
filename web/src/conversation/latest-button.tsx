import { DownIcon } from '../parts/icons.tsx';

interface LatestButtonProps {
  readonly shown: boolean;
  /** How many rows came since the reader left the end. */
  readonly newRows: number;
  readonly onClick: () => void;
}

/** Goes to the newest message, with the number of rows that came meanwhile. */
export function LatestButton({ shown, newRows, onClick }: LatestButtonProps) {
  const count = newRows > 99 ? '99+' : String(newRows);
  return (
    <button
      type="button"
      className="to-bottom"
      data-shown={shown}
      data-new={newRows > 0}
      aria-label={newRows > 0 ? `Go to the newest, ${count} new` : 'Go to the newest'}
      onClick={onClick}
    >
      <DownIcon />
      {newRows > 0 && <span>{count} new</span>}
    </button>
  );
}
