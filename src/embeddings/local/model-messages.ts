import type { ModelFolder } from './read-model-folder.ts'

/** Messages from the server to the model process: first what to load, then texts. */
export type ModelOrder =
  | {
      readonly kind: 'load'
      /** Entry file of the package. */
      readonly packageEntry: string
      readonly folder: ModelFolder
      /** Number of threads for the computation. */
      readonly threads: number
    }
  | { readonly kind: 'embed'; readonly id: number; readonly texts: readonly string[] }

/** Messages from the model process. */
export type ModelReport =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'not-loaded'; readonly detail: string }
  /** In sequence, all of the same length. */
  | { readonly kind: 'embedded'; readonly id: number; readonly numbers: Float32Array; readonly length: number }
  | { readonly kind: 'refused'; readonly id: number; readonly detail: string }
