import { DownIcon } from '../parts/icons.tsx';

interface LatestButtonProps {
  readonly shown: boolean;
  /** The number of rows that were added since the reader scrolled away from the end. */
  readonly newRows: number;
  readonly onClick: () => void;
}

/** Scrolls to the newest message; shows the number of new rows. */
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
