/** The client has closed its connection, so no answer can be sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
