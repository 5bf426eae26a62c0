/** TigerBeetle's names of the types of change events, by their number. */
export const changeEventTypes = [
  'single_phase',
  'two_phase_pending',
  'two_phase_posted',
  'two_phase_voided',
  'two_phase_expired',
] as const;
