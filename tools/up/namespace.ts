/** Namespace of both charts. */
export const systemNamespace = 'ledgerhouse-system';
