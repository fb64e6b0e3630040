interface ZoomButtonsProps {
  readonly zoom: (way: 'in' | 'out' | 'fit') => void;
  /** Whether the whole timeline is visible. */
  readonly isWhole: boolean;
}

/** Buttons for the zoom and pan actions of keys and wheel. */
export function ZoomButtons({ zoom, isWhole }: ZoomButtonsProps) {
  return (
    <div className="runs-zoom" role="group" aria-label="Zoom">
      <button type="button" className="button" aria-label="Zoom out" disabled={isWhole} onClick={() => zoom('out')}>
        −
      </button>
      <button
        type="button"
        className="button"
        aria-label="Zoom in"
        title="Zoom in: + or Ctrl and the wheel; ← and → move"
        onClick={() => zoom('in')}
      >
        +
      </button>
      <button type="button" className="button" disabled={isWhole} onClick={() => zoom('fit')}>
        Fit
      </button>
    </div>
  );
}
