import { type Activity, createActivityState, type LineOf, projectActivity } from '../projections/activity/index.ts';
import type { Encoder } from './encoder.ts';

export interface ActivityOptions {
  /** Where raw lines are found, for what is encoded as it was printed. */
  readonly lineOf?: LineOf | undefined;
}

/** Encodes the activity of every run in the events: commands, reads, writes, searches, the same for every agent. */
export function activityEncoder({ lineOf }: ActivityOptions = {}): Encoder<Activity> {
  const state = createActivityState();
  return { encode: event => projectActivity(state, event, lineOf), end: () => [] };
}
