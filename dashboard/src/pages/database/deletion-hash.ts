/** The part of a database's page at which its deletion is asked for. */
export const deletionHash = 'delete';
