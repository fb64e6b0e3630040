interface ZoomButtonsProps {
  readonly zoom: (way: 'in' | 'out' | 'fit') => void;
  /** Whether the whole time is in view. */
  readonly isWhole: boolean;
}

/** Buttons for what keys and the wheel do with the time of a timeline. */
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
