/** The bundled program of a sandbox's thread: `sandbox-worker.ts` with its engine. `scripts/sandbox-program.ts` makes it. */
declare module 'virtual:sandbox-program' {
  export const program: string;
}

/** The compiled engine, as base64. */
declare module 'virtual:sandbox-engine' {
  export const engine: string;
}
