/** The part of a drawing that is in view: the point in the upper left corner, and how large it is drawn. */
export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const smallest = 0.05;
const largest = 2.5;
const margin = 28;
/** The asked part is larger than the visible one and moves in steps, so that panning asks seldom. */
const stride = 400;

/** Zooms around a point of the screen, which stays where it is. */
export function zoomAt(view: Viewport, factor: number, at: { x: number; y: number }): Viewport {
  const zoom = Math.max(smallest, Math.min(largest, view.zoom * factor));
  return { zoom, x: view.x + at.x / view.zoom - at.x / zoom, y: view.y + at.y / view.zoom - at.y / zoom };
}

/** Shows a whole drawing, or its width when it would be too small to see. */
export function fitView(drawing: Size, screen: Size): Viewport {
  const wanted = Math.min(
    (screen.width - 2 * margin) / drawing.width,
    (screen.height - 2 * margin) / drawing.height,
    1,
  );
  const zoom = Math.max(smallest, wanted || 1);
  return {
    zoom,
    x: (drawing.width - screen.width / zoom) / 2,
    y:
      Math.max(-margin / zoom, (drawing.height - screen.height / zoom) / 2) * (wanted < smallest ? 0 : 1) -
      (wanted < smallest ? margin / zoom : 0),
  };
}

/** Shows the end of a drawing in its natural size, or all of it when it fits. */
export function endView(drawing: Size, screen: Size): Viewport {
  const fit = fitView(drawing, screen);
  if (fit.zoom >= 0.6) return fit;
  const zoom = Math.max(0.6, Math.min(1, (screen.width - 2 * margin) / drawing.width));
  return { zoom, x: -margin / zoom, y: drawing.height - (screen.height - margin) / zoom };
}

/** Moves as little as is needed to show a box. */
export function reveal(view: Viewport, box: { x: number; y: number } & Size, screen: Size): Viewport {
  const [width, height] = [screen.width / view.zoom, screen.height / view.zoom];
  const isSeen =
    box.x >= view.x && box.y >= view.y && box.x + box.width <= view.x + width && box.y + box.height <= view.y + height;
  if (isSeen) return view;
  const zoom = Math.max(view.zoom, 0.6);
  return {
    zoom,
    x: box.x + box.width / 2 - screen.width / zoom / 2,
    y: box.y + box.height / 2 - screen.height / zoom / 2,
  };
}

/** The part of a drawing to ask for. */
export function askedRect({ x, y, zoom }: Viewport, { width, height }: Size) {
  const step = stride / Math.min(1, zoom);
  return {
    left: (Math.floor(x / step) - 1) * step,
    top: (Math.floor(y / step) - 1) * step,
    right: (Math.ceil((x + width / zoom) / step) + 1) * step,
    bottom: (Math.ceil((y + height / zoom) / step) + 1) * step,
  };
}
