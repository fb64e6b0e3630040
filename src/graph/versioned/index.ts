export { advance, emptySnapshot, emptyStore } from './advance.ts';
export type { Draft } from './draft.ts';
export type { GrowingText } from './growing-text.ts';
export { Snapshot } from './snapshot.ts';
export type { Store } from './store.ts';
export type { Timeline } from './timeline.ts';
