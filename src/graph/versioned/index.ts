export { advance, emptyMoment } from './advance.ts';
export type { Draft } from './draft.ts';
export type { Moment } from './moment.ts';
