import { config } from 'zod';

// The page may not make code from text. Schemas look at this when they are made, so it comes before every other module.
config({ jitless: true });
