/** The abort reason of a detached run: it can be resumed, so its calls and subagents must not end permanently. */
export class RunDetached extends Error {
  constructor() {
    super('The process is shutting down.');
  }
}
