/** Field managers of server-side apply: one for the objects themselves, one for their status. */
export const fieldManager = 'ledgerhouse-operator';
export const statusManager = 'ledgerhouse-operator-status';
