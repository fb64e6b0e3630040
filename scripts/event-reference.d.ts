/** The text of `docs/events.md`, derived from the definitions. */
export declare function eventReference(): string;
