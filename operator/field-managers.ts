/** Who holds which fields of server-side apply: objects' own, and what is said of their state. */
export const fieldManager = 'ledgerhouse-operator';
export const statusManager = 'ledgerhouse-operator-status';
