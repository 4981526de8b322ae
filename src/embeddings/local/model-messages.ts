import type { ModelFolder } from './read-model-folder.ts'

/** What the server sends to the process that holds a model: first what to load, then texts. */
export type ModelOrder =
  | {
      readonly kind: 'load'
      /** Where the package begins. */
      readonly packageEntry: string
      readonly folder: ModelFolder
      /** Threads that it computes with. */
      readonly threads: number
    }
  | { readonly kind: 'embed'; readonly id: number; readonly texts: readonly string[] }

/** What the process sends back. */
export type ModelReport =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'not-loaded'; readonly detail: string }
  /** One after the other, all of one length. */
  | { readonly kind: 'embedded'; readonly id: number; readonly numbers: Float32Array; readonly length: number }
  | { readonly kind: 'refused'; readonly id: number; readonly detail: string }
