/** Where a resource of the cluster is, or was. */
export interface PlacedResource {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}
