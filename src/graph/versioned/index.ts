export { advance, emptySnapshot, emptyStore } from './advance.ts';
export type { GrowingText } from './growing-text.ts';
export { type Draft, Snapshot, type Store } from './store.ts';
export type { Timeline } from './timeline.ts';
