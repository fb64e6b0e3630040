/** A clock and timers, injected so that tests control time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs once after that many milliseconds. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The system clock with timers that do not keep the process alive. */
export const backgroundClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
