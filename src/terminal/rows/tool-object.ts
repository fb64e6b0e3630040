export { oneLine } from '../../projections/presentation/present-call.ts';
