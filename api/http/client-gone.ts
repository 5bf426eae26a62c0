/** The client has closed its connection: nobody is there to be answered. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
