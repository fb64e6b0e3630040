/** The abort reason of a run that is detached: it can be resumed, so what it started must not be ended for good. */
export class RunDetached extends Error {
  constructor() {
    super('The process is shutting down.');
  }
}
