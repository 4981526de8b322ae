/** Progress of long work over documents. */
export interface IndexProgress {
  readonly documents: number
  /** In the collections that were started. */
  readonly of: number
}
