/** Place of a resource in the cluster that exists or existed. */
export interface PlacedResource {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}
