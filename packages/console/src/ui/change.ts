/** What a dialog knows of the change it sends: `useChange` gives one. */
export interface Change {
  readonly isPending: boolean;
  readonly error: Error | null;
}
