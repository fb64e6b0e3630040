import { config } from 'zod';

// The page must not create code from text. Schemas read this setting when they are created, so it precedes every other
// module.
config({ jitless: true });
