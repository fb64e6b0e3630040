import { acpProfiles } from '../scenarios/profiles/acp.ts';
import { tryProgram } from '../scenarios/try-program.ts';

for (const profile of acpProfiles) tryProgram(profile);
