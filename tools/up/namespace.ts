/** Where both charts are installed. */
export const systemNamespace = 'ledgerhouse-system';
