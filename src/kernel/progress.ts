/** How far long work over documents is. */
export interface IndexProgress {
  readonly documents: number
  /** Of the collections that were begun. */
  readonly of: number
}
